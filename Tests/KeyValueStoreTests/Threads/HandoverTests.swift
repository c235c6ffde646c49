import Dispatch
import KeyValueStore
import Synchronization
import Testing

@testable import BaseRuntime

@Suite struct HandoverTests {
  /// Notes what it receives, a list a call.
  private final class Notes: HandoverReceiver {
    let received = Mutex<[[Int]]>([])

    func receive(_ items: [Int]) { received.withLock { $0.append(items) } }

    var all: [[Int]] { received.withLock { $0 } }
  }

  /// Hands on what it receives, once.
  private final class Relay: HandoverReceiver {
    let next: Notes

    init(to next: Notes) { self.next = next }

    func receive(_ items: [Int]) {
      for item in items { Handover.current?.add(-item, for: next) }
    }
  }

  @Test func `each receiver gets its items together and in order when the work ends`() {
    let (first, second) = (Notes(), Notes())
    Handover.during { handover in
      for number in 1...3 {
        handover.add(number, for: first)
        handover.add(10 * number, for: second)
      }
      #expect(first.all.isEmpty && second.all.isEmpty)
    }
    #expect(first.all == [[1, 2, 3]])
    #expect(second.all == [[10, 20, 30]])
  }

  @Test func `work inside other work delivers with it, also where it throws`() {
    let notes = Notes()
    Handover.during { outer in
      Handover.during { inner in
        #expect(inner === outer)
        inner.add(1, for: notes)
      }
      #expect(throws: KeyValueError.self) { try Self.fail(adding: 2, for: notes) }
      #expect(notes.all.isEmpty)
    }
    #expect(notes.all == [[1, 2]])
    #expect(throws: KeyValueError.self) { try Self.fail(adding: 3, for: notes) }
    #expect(notes.all == [[1, 2], [3]])
  }

  private static func fail(adding number: Int, for notes: Notes) throws {
    try Handover.during { handover in
      handover.add(number, for: notes)
      throw KeyValueError(.misuse, "a test's own")
    }
  }

  @Test func `a thread has no handover but while it does such work`() {
    #expect(Handover.current == nil)
    Handover.during { handover in
      #expect(Handover.current === handover)
      let others = Mutex(0)
      StoreThread { others.withLock { $0 = Handover.current == nil ? 1 : 2 } }.join()
      #expect(others.withLock { $0 } == 1)
    }
    #expect(Handover.current == nil)
  }

  @Test func `what waits for long is delivered between two things that the thread does`() {
    let notes = Notes()
    Handover.during { handover in
      handover.add(1, for: notes)
      // Ends with the time that something may wait, however slow the machine is.
      while notes.all.isEmpty { handover.deliverIfDue() }
      handover.add(2, for: notes)
    }
    #expect(notes.all == [[1], [2]])
  }

  @Test func `what waits is delivered before the thread waits for a write`() throws {
    let notes = Notes()
    let engine = MemoryEngine()
    try Handover.during { handover in
      handover.add(1, for: notes)
      try engine.write { group in try group.put([1], [1]) }
      #expect(notes.all == [[1]])
    }
    try engine.close()
  }

  @Test func `what is added by a receiver is delivered too`() {
    let notes = Notes()
    let relay = Relay(to: notes)
    Handover.during { handover in
      handover.add(1, for: relay)
      handover.add(2, for: relay)
    }
    #expect(notes.all == [[-1, -2]])
  }

  @Test func `threads stopped with jobs waiting run them and deliver what those had`() {
    let threads = EngineThreads(count: 1, capacity: 1_000)
    let notes = Notes()
    let begun = DispatchSemaphore(value: 0)
    let gate = DispatchSemaphore(value: 0)
    let isHeld = threads.submit {
      begun.signal()
      gate.wait()
    }
    begun.wait()
    for number in 0..<100 {
      let isTaken = threads.submit { Handover.current?.add(number, for: notes) }
      #expect(isTaken)
    }
    #expect(isHeld && notes.all.isEmpty)
    gate.signal()
    threads.stop()
    #expect(notes.all.flatMap { $0 } == Array(0..<100))
  }
}
