import Access
import BaseRuntime
import BaseStatus
import NIOCore
import Synchronization

/// Brings answers of other threads to an event loop, many in one wake-up.
///
/// One per event loop. Any thread posts; what one posts during a `Handover` comes together. The loop drains in
/// order, so many at a time, and then flushes each connection that something was written on once.
final class EventLoopMailbox: HandoverReceiver {
  /// A service's response to a call.
  enum Answer: Sendable {
    case message(Result<[UInt8], ServiceError>)
    case stream(Result<any ResponseStream, ServiceError>)
    case chunk(Result<[[UInt8]], ServiceError>)
  }

  /// Something for the loop to do.
  enum Delivery: Sendable {
    case answer(Answer, GRPCCall)
    /// The call's service has said something; it is in the call's outbox.
    case news(StreamingCall)
    /// A connection of HTTP/1.1 has something to write.
    case turn(any LoopTurn)

    func carryOut() {
      switch self {
      case .answer(let answer, let call): call.receive(answer)
      case .news(let call): call.carryOut()
      case .turn(let turn): turn.carryOut()
      }
    }

    /// The HTTP/2 connection that it is for; nil for another.
    var connection: HTTP2Connection? {
      switch self {
      case .answer(_, let call): call.connection
      case .news(let call): call.connection
      case .turn: nil
      }
    }

    func flush() {
      switch self {
      case .answer(_, let call): call.connection.flushUnlessReading()
      case .news(let call): call.connection.flushUnlessReading()
      case .turn(let turn): turn.flush()
      }
    }
  }

  private struct State {
    var waiting: [Delivery] = []
    var isDrainScheduled = false
    var isClosed = false
    /// Threads between their decision to wake the loop and having done so.
    var waking = 0
  }

  /// After this many deliveries connections are flushed, while their data is near the processor: a
  /// change may be for thousands of connections, with little data for each.
  private static let partCount = 64

  let eventLoop: any EventLoop
  /// The connection that the loop served last.
  let company = LoopCompany()
  private let state = Mutex(State())

  init(eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
  }

  /// Hands the response to its call, now if this is the loop's thread.
  func post(_ answer: Answer, to call: GRPCCall) {
    post(.answer(answer, call))
  }

  /// Has the call look at its outbox, now if this is the loop's thread.
  func post(_ call: StreamingCall) {
    post(.news(call))
  }

  /// Has it take its turn, now if this is the loop's thread.
  func post(_ turn: any LoopTurn) {
    post(.turn(turn))
  }

  private func post(_ delivery: Delivery) {
    if eventLoop.inEventLoop {
      delivery.carryOut()
      delivery.flush()
    } else if let handover = Handover.current {
      handover.add(delivery, for: self)
    } else {
      receive([delivery])
    }
  }

  /// Has the loop carry out another thread's work.
  func receive(_ deliveries: [Delivery]) {
    let mustWake = state.withLock { state in
      guard !state.isClosed else { return false }
      if state.waiting.isEmpty {
        state.waiting = deliveries
      } else {
        state.waiting += deliveries
      }
      guard !state.isDrainScheduled else { return false }
      state.isDrainScheduled = true
      state.waking += 1
      return true
    }
    guard mustWake else { return }
    // Not under the lock, which the loop takes first when it wakes.
    eventLoop.execute { self.drain() }
    state.withLock { $0.waking -= 1 }
  }

  /// Drops every further response and returns when no thread is about to wake the event loop, which
  /// may end after this.
  func close() {
    var isWaking = true
    while isWaking {
      isWaking = state.withLock { state in
        state.isClosed = true
        state.waiting = []
        return state.waking > 0
      }
    }
  }

  private func drain() {
    let deliveries = state.withLock { state in
      state.isDrainScheduled = false
      let deliveries = state.waiting
      state.waiting = []
      return deliveries
    }
    var start = 0
    while start < deliveries.count {
      carryOut(deliveries[start..<min(start + Self.partCount, deliveries.count)])
      start += Self.partCount
    }
  }

  private func carryOut(_ part: ArraySlice<Delivery>) {
    for delivery in part { company.noteWork(for: delivery.connection) }
    Handover.during { _ in
      for delivery in part { delivery.carryOut() }
    }
    for delivery in part { delivery.flush() }
  }
}

/// Something that an event loop does for a connection of HTTP/1.1 when its turn comes.
protocol LoopTurn: AnyObject, Sendable {
  /// Writes the pending data.
  func carryOut()
  /// Flushes what was written.
  func flush()
}
