import FirestoreModel
import FirestoreService
import NIOCore
import Synchronization

/// Brings answers of other threads to an event loop, many in one wake-up.
///
/// One per event loop. Any thread posts; the loop drains in order and then flushes each connection
/// that something was written on once.
final class EventLoopMailbox: Sendable {
  /// What a service answered to a call.
  enum Answer: Sendable {
    case message(Result<[UInt8], FirestoreError>)
    case stream(Result<any ResponseStream, FirestoreError>)
    case chunk(Result<[[UInt8]], FirestoreError>)
  }

  private struct State {
    var waiting: [(call: GRPCCall, answer: Answer)] = []
    var isDrainScheduled = false
    var isClosed = false
  }

  let eventLoop: any EventLoop
  private let state = Mutex(State())

  init(eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
  }

  /// Hands the answer to its call, now if this is the loop's thread.
  func post(_ answer: Answer, to call: GRPCCall) {
    if eventLoop.inEventLoop {
      call.receive(answer)
      call.connection.flushUnlessReading()
      return
    }
    // Scheduled under the lock, so that nothing is after `close`.
    state.withLock { state in
      guard !state.isClosed else { return }
      state.waiting.append((call, answer))
      guard !state.isDrainScheduled else { return }
      state.isDrainScheduled = true
      eventLoop.execute { self.drain() }
    }
  }

  /// Drops every further answer; the event loop may end after this.
  func close() {
    state.withLock { state in
      state.isClosed = true
      state.waiting = []
    }
  }

  private func drain() {
    let answers = state.withLock { state in
      state.isDrainScheduled = false
      let answers = state.waiting
      state.waiting = []
      state.waiting.reserveCapacity(answers.count)
      return answers
    }
    for (call, answer) in answers { call.receive(answer) }
    for (call, _) in answers { call.connection.flushUnlessReading() }
  }
}
