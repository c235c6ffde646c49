import BaseRuntime
import Synchronization
import Testing

@Suite struct BlockingQueueTests {
  @Test func `what was put comes out in order, one by one or together`() {
    let queue = BlockingQueue<Int>()
    for number in 1...5 { #expect(queue.put(number)) }
    #expect(queue.takeOne() == 1)
    #expect(queue.put(6))
    #expect(queue.takeOne() == 2)
    #expect(queue.count == 4)
    #expect(queue.take() == [3, 4, 5, 6])
    #expect(queue.take(waiting: 0) == [])
  }

  @Test func `a full queue refuses, and takes again when there is room`() {
    let queue = BlockingQueue<Int>(capacity: 2)
    #expect(queue.put(1) && queue.put(2))
    #expect(!queue.put(3))
    #expect(queue.takeOne() == 1)
    #expect(queue.put(3))
    #expect(!queue.put(4))
    #expect(queue.take() == [2, 3])
  }

  @Test func `a closed queue gives what is left, then nothing`() {
    let queue = BlockingQueue<Int>()
    #expect(queue.put(1) && queue.put(2))
    queue.close()
    #expect(!queue.put(3))
    #expect(queue.takeOne() == 1)
    #expect(queue.take() == [2])
    #expect(queue.takeOne() == nil && queue.take() == nil && queue.take(waiting: 0) == nil)
  }

  @Test func `many threads take every element once, and all end with the queue`() {
    let queue = BlockingQueue<Int>()
    let taken = Mutex<[Int]>([])
    let threads = (0..<4).map { _ in
      StoreThread {
        while let number = queue.takeOne() { taken.withLock { $0.append(number) } }
      }
    }
    for number in 0..<2_000 { #expect(queue.put(number)) }
    queue.close()
    for thread in threads { thread.join() }
    #expect(taken.withLock { $0 }.sorted() == Array(0..<2_000))
  }
}
