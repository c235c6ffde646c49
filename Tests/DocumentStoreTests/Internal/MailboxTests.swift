import Synchronization
import Testing

@testable import DocumentStore

@Suite struct MailboxTests {
  @Test func `what was put comes out in order, one by one or together`() {
    let box = Mailbox<Int>()
    for number in 1...5 { #expect(box.put(number)) }
    #expect(box.takeOne() == 1)
    #expect(box.put(6))
    #expect(box.takeOne() == 2)
    #expect(box.count == 4)
    #expect(box.take() == [3, 4, 5, 6])
    #expect(box.take(waiting: 0) == [])
  }

  @Test func `a full box refuses, and takes again when there is room`() {
    let box = Mailbox<Int>(capacity: 2)
    #expect(box.put(1) && box.put(2))
    #expect(!box.put(3))
    #expect(box.takeOne() == 1)
    #expect(box.put(3))
    #expect(!box.put(4))
    #expect(box.take() == [2, 3])
  }

  @Test func `a closed box gives what is left, then nothing`() {
    let box = Mailbox<Int>()
    #expect(box.put(1) && box.put(2))
    box.close()
    #expect(!box.put(3))
    #expect(box.takeOne() == 1)
    #expect(box.take() == [2])
    #expect(box.takeOne() == nil && box.take() == nil && box.take(waiting: 0) == nil)
  }

  @Test func `many threads take every element once, and all end with the box`() {
    let box = Mailbox<Int>()
    let taken = Mutex<[Int]>([])
    let threads = (0..<4).map { _ in
      StoreThread {
        while let number = box.takeOne() { taken.withLock { $0.append(number) } }
      }
    }
    for number in 0..<2_000 { #expect(box.put(number)) }
    box.close()
    for thread in threads { thread.join() }
    #expect(taken.withLock { $0 }.sorted() == Array(0..<2_000))
  }
}
