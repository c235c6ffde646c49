import KeyValueStore
import Synchronization
import Testing

@Suite("The queue of writes: order, bounds and failures")
struct WriteQueueTests {
  @Test func `interactive writes come first, background writes within bounds of bytes and time`() {
    var limits = GroupLimits()
    limits.backgroundBytes = 10
    limits.backgroundTime = .milliseconds(2)
    let fixture = QueueFixture(limits)
    fixture.holding {
      // The third of four bytes each reaches the bound.
      for number in 0..<5 { fixture.submit("b\(number)", .background, bytes: 4) }
      // Each takes all the time that a group has for them.
      for number in 5..<7 { fixture.submit("b\(number)", .background, time: .milliseconds(2)) }
      for number in 0..<3 { fixture.submit("i\(number)", bytes: 4) }
    }
    #expect(
      fixture.close() == [
        ["i0", "i1", "i2", "b0", "b1", "b2"],
        ["b3", "b4", "b5"],
        ["b6"],
      ]
    )
  }

  @Test func `a background write gets into every group, however much others write`() {
    var limits = GroupLimits()
    limits.interactiveBytes = 8
    limits.backgroundBytes = 1
    let fixture = QueueFixture(limits)
    fixture.holding {
      for number in 0..<6 { fixture.submit("i\(number)", bytes: 4) }
      for number in 0..<3 { fixture.submit("b\(number)", .background, bytes: 4) }
    }
    #expect(fixture.close() == [["i0", "i1", "b0"], ["i2", "i3", "b1"], ["i4", "i5", "b2"]])
  }

  @Test func `what was in a group that fails has failed, and the next group goes on`() {
    let fixture = QueueFixture()
    fixture.holding {
      fixture.submit("a", bytes: 1)
      fixture.submit("b", fails: true)
      fixture.submit("c", .background, bytes: 1)
      fixture.writer.failLanding(ofGroup: 1)
    }
    #expect(fixture.outcomes.wait(for: 3) == ["a failed", "b failed", "c failed"])
    fixture.submit("d", bytes: 1)
    #expect(fixture.outcomes.wait(for: 1).last == "d durable")
    #expect(fixture.close() == [["a", "b", "c"], ["d"]])
  }

  @Test func `the mark of the state is another after each group, and none after one that failed`() {
    let fixture = QueueFixture()
    let first = fixture.queue.stateMark
    #expect(first != nil)
    fixture.submit("a", bytes: 1)
    _ = fixture.outcomes.wait(for: 1)
    let second = fixture.queue.stateMark
    #expect(second != nil && second != first)
    // Of a group that nothing is left of nothing lands.
    fixture.submit("b", fails: true)
    _ = fixture.outcomes.wait(for: 1)
    #expect(fixture.queue.stateMark == second)
    fixture.holding {
      fixture.submit("c", bytes: 1)
      fixture.writer.failLanding(ofGroup: fixture.writer.groups.count)
    }
    _ = fixture.outcomes.wait(for: 1)
    #expect(fixture.queue.stateMark == nil)
    fixture.submit("d", bytes: 1)
    _ = fixture.outcomes.wait(for: 1)
    let last = fixture.queue.stateMark
    #expect(last != nil && last != second && last != first)
    fixture.queue.close()
  }

  @Test func `where no group can be begun everybody who waits hears of it, without a body`() {
    let fixture = QueueFixture()
    fixture.writer.refuseGroups(true)
    fixture.submit("a", .background)
    fixture.submit("b")
    #expect(Set(fixture.outcomes.wait(for: 2)) == ["a failed", "b failed"])
    fixture.writer.refuseGroups(false)
    fixture.submit("c")
    #expect(fixture.outcomes.wait(for: 1).last == "c durable")
    #expect(fixture.writer.groups == [["c"]])
    fixture.queue.close()
  }

  @Test func `a group of which nothing is left is abandoned`() {
    let fixture = QueueFixture()
    fixture.submit("a", fails: true)
    #expect(fixture.outcomes.wait(for: 1) == ["a failed"])
    #expect(fixture.writer.landed == 0)
    #expect(fixture.writer.abandoned == 1)
    fixture.queue.close()
  }
}

/// A queue over a recording writer, with a time that moves when told to.
private final class QueueFixture: Sendable {
  let writer = RecordingWriter()
  let outcomes = Outcomes()
  let queue: WriteQueue<RecordingWriter>
  private let time: ManualTime

  init(_ limits: GroupLimits = GroupLimits()) {
    let time = ManualTime()
    self.time = time
    queue = WriteQueue(writer, limits: limits) { time.now }
  }

  /// Submits a write that notes its name, then writes that many bytes and takes that much time.
  func submit(
    _ name: String,
    _ priority: WritePriority = .interactive,
    bytes: Int = 0,
    time duration: Duration = .zero,
    fails: Bool = false
  ) {
    queue.submit(
      outcomes.write(name, priority) { [writer, time] group in
        writer.note(name)
        if bytes > 0 { try group.put([], [UInt8](repeating: 1, count: bytes)) }
        time.advance(by: duration)
        if fails { throw CancellationError() }
      }
    )
  }

  /// Submits while the queue is held up, so that all of it waits for the next group.
  func holding(_ submit: () -> Void) {
    let held = HeldWriter(submit: queue.submit)
    submit()
    held.release()
  }

  /// Runs what waits; answers what was in each group, but for the one that was held up.
  func close() -> [[String]] {
    queue.close()
    return writer.groups.filter { !$0.isEmpty }
  }
}

private final class ManualTime: Sendable {
  private let time = Mutex(ContinuousClock.now)

  var now: ContinuousClock.Instant { time.withLock { $0 } }

  func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
