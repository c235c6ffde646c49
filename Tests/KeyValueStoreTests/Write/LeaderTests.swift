import BaseRuntime
import Foundation
import KeyValueStore
import Synchronization
import Testing

@Suite("Writes by the thread that brings them")
struct LeaderTests {
  @Test func `a write that is alone is written by its thread, before submit returns`() {
    let fixture = LeaderFixture()
    fixture.warmUp()
    fixture.submit("a")
    #expect(fixture.events == ["a here", "a durable here"])
    fixture.queue.close()
  }

  @Test func `a write that did not ask for it, or comes behind another, is the queue's`() {
    let fixture = LeaderFixture()
    fixture.warmUp()
    fixture.submit("a", mayLead: false)
    fixture.queue.close()
    #expect(fixture.events == ["a elsewhere", "a durable elsewhere"])

    let busy = LeaderFixture()
    busy.warmUp()
    let held = HeldWriter(submit: busy.queue.submit)
    busy.submit("a")
    #expect(busy.events.isEmpty)
    held.release()
    busy.queue.close()
    #expect(busy.events == ["a elsewhere", "a durable elsewhere"])
  }

  @Test func `nobody leads before a group has shown how quick the disk is, nor when it is slow`() {
    let fixture = LeaderFixture()
    fixture.submit("a")
    fixture.awaitIdleness()
    #expect(fixture.events == ["a elsewhere", "a durable elsewhere"])
    fixture.writer.landingTime = .microseconds(501)
    fixture.submit("b")
    #expect(fixture.events.suffix(2) == ["b here", "b durable here"])
    fixture.submit("c")
    fixture.awaitIdleness()
    #expect(fixture.events.suffix(2) == ["c elsewhere", "c durable elsewhere"])
    fixture.queue.close()
  }

  @Test func `after a write that took long nobody leads for a while`() {
    let fixture = LeaderFixture()
    fixture.warmUp()
    fixture.submit("a") { fixture.writer.pass(.milliseconds(5)) }
    #expect(fixture.events == ["a here", "a durable here"])
    fixture.submit("b")
    fixture.awaitIdleness()
    #expect(fixture.events.suffix(2) == ["b elsewhere", "b durable elsewhere"])
    fixture.writer.pass(GroupLimits().leadersRest)
    fixture.submit("c")
    #expect(fixture.events.suffix(2) == ["c here", "c durable here"])
    fixture.queue.close()
  }

  @Test func `nobody leads when it is some time since the disk was quick`() {
    let fixture = LeaderFixture()
    fixture.warmUp()
    fixture.writer.pass(GroupLimits().leadersMemory + .milliseconds(1))
    fixture.submit("a")
    fixture.awaitIdleness()
    #expect(fixture.events == ["a elsewhere", "a durable elsewhere"])
    fixture.submit("b")
    #expect(fixture.events.suffix(2) == ["b here", "b durable here"])
    fixture.queue.close()
  }

  @Test func `a leader whose group fails is told so, and nobody leads where the writer takes none`()
  {
    let fixture = LeaderFixture()
    fixture.warmUp()
    fixture.writer.fails = true
    fixture.submit("a")
    #expect(fixture.events == ["a here", "a failed here"])
    #expect(fixture.queue.stateMark == nil)
    fixture.writer.fails = false
    fixture.writer.takesLeaders = false
    fixture.submit("b")
    fixture.awaitIdleness()
    #expect(fixture.events.suffix(2) == ["b elsewhere", "b durable elsewhere"])
    fixture.queue.close()
  }

  @Test func `a leader that closes the queue does not wait for its thread`() {
    let fixture = LeaderFixture()
    fixture.warmUp()
    fixture.submit("a") { fixture.queue.close() }
    #expect(fixture.events == ["a here", "a durable here"])
  }

  @Test func `writes that come while one leads form the next group, of the queue's thread`() {
    let fixture = LeaderFixture()
    fixture.warmUp()
    fixture.submit("a") {
      #expect(fixture.queue.isCurrent)
      // From another thread, which neither waits nor leads.
      let other = StoreThread {
        #expect(!fixture.queue.isCurrent)
        fixture.submit("b")
        fixture.submit("c", .background)
      }
      other.join()
    }
    #expect(!fixture.queue.isCurrent)
    fixture.queue.close()
    #expect(fixture.events.prefix(2) == ["a here", "a durable here"])
    #expect(
      fixture.events.dropFirst(2)
        == ["b elsewhere", "c elsewhere", "b durable elsewhere", "c durable elsewhere"]
    )
  }

  @Test func `a queue that is closed while one leads ends after that`() {
    let fixture = LeaderFixture()
    fixture.warmUp()
    let closed = DispatchSemaphore(value: 0)
    let closing = DispatchSemaphore(value: 0)
    fixture.submit("a") {
      DispatchQueue.global().async {
        closing.signal()
        fixture.queue.close()
        fixture.note("closed")
        closed.signal()
      }
      closing.wait()
    }
    closed.wait()
    #expect(fixture.events == ["a here", "a durable here", "closed"])
    fixture.submit("b")
    #expect(fixture.events.last == "b failed here")
  }
}

/// A queue whose writes say whether they ran on the thread of the test.
private final class LeaderFixture: Sendable {
  let writer = TimedWriter()
  let queue: WriteQueue<TimedWriter>
  private let thread = ThreadID.current
  private let told = Mutex<[String]>([])

  init() {
    queue = WriteQueue(writer) { [writer] in writer.now }
  }

  var events: [String] { told.withLock { $0 } }

  func note(_ event: String) { told.withLock { $0.append(event) } }

  /// Has a group written, so that the queue's thread waits and the disk is known to be quick.
  func warmUp() {
    queue.submit(
      QueuedWrite(.interactive) { _ in
      } completion: { _ in
      }
    )
    awaitIdleness()
  }

  func awaitIdleness() { while !queue.isIdle { sched_yield() } }

  func submit(
    _ name: String,
    _ priority: WritePriority = .interactive,
    mayLead: Bool = true,
    _ act: @escaping @Sendable () -> Void = {}
  ) {
    queue.submit(
      QueuedWrite(priority, mayLead: mayLead) { _ in
        self.noteHere(name)
        act()
      } completion: { outcome in
        self.noteHere((try? outcome.get()) == nil ? "\(name) failed" : "\(name) durable")
      }
    )
  }

  private func noteHere(_ event: String) {
    note("\(event) \(thread == .current ? "here" : "elsewhere")")
  }
}

/// A writer whose groups take as long to land as it is told.
private final class TimedWriter: GroupWriter {
  private struct State {
    var now = ContinuousClock.now
    var landingTime = Duration.zero
    var fails = false
    var takesLeaders = true
  }

  private let state = Mutex(State())

  var now: ContinuousClock.Instant { state.withLock { $0.now } }

  /// Lets time pass.
  func pass(_ time: Duration) { state.withLock { $0.now += time } }

  var landingTime: Duration {
    get { state.withLock { $0.landingTime } }
    set { state.withLock { $0.landingTime = newValue } }
  }

  var fails: Bool {
    get { state.withLock { $0.fails } }
    set { state.withLock { $0.fails = newValue } }
  }

  var takesLeaders: Bool {
    get { state.withLock { $0.takesLeaders } }
    set { state.withLock { $0.takesLeaders = newValue } }
  }

  func beginGroup() throws -> BareGroup { BareGroup() }

  func land(_ group: BareGroup) throws {
    try state.withLock { state in
      state.now += state.landingTime
      if state.fails { throw KeyValueError(.inputOutput, "the sync failed") }
    }
  }

  func abandon(_ group: BareGroup) {}
}
