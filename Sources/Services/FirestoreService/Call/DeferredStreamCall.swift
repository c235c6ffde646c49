import Access
import BaseStatus
import Synchronization

/// A bidirectional call that is being opened on another thread.
///
/// Until it is open the client's messages are not read: they stay with the transport, which counts
/// them. The transport's later events wait here and are passed on in order. The transport calls one
/// method at a time, and the opening thread passes on the waiting events. Once none waits, the
/// transport calls the opened stream itself.
///
///     opening -> passing on -> open
///         \\-> ended
final class DeferredStreamCall: StreamCall {
  private enum Event {
    case message([UInt8])
    case endOfRequests
    case cancellation
    case resumption
  }

  private enum Phase {
    case opening
    case passingOn
    case open(any StreamCall)
    case ended
  }

  private struct State {
    var phase = Phase.opening
    var waiting: [Event] = []
    var isCancelled = false
  }

  private let responses: any StreamResponses
  private let state = Mutex(State())

  /// A call whose client is not read from now on.
  init(_ responses: any StreamResponses) {
    self.responses = responses
    responses.setReading(false)
  }

  // MARK: From the thread that opens

  /// The stream is open: it gets what waited, and all that follows.
  func open(_ call: any StreamCall) {
    state.withLock { $0.phase = .passingOn }
    // Before the stream receives anything, since it may send the opposite.
    responses.setReading(true)
    while let events = nextEvents(for: call) {
      for event in events { Self.pass(event, to: call) }
    }
  }

  /// The stream could not be opened.
  func fail(_ error: ServiceError) {
    let isWanted = state.withLock { state in
      defer { state = State(phase: .ended) }
      return !state.isCancelled
    }
    if isWanted { responses.finish(error) }
  }

  /// Takes the pending events; nil, and the stream open, when there are none.
  private func nextEvents(for call: any StreamCall) -> [Event]? {
    state.withLock { state in
      guard !state.waiting.isEmpty else {
        state.phase = .open(call)
        return nil
      }
      defer { state.waiting = [] }
      return state.waiting
    }
  }

  // MARK: From the transport

  func receive(_ message: [UInt8]) { take(.message(message)) }

  func finishRequests() { take(.endOfRequests) }

  func cancel() { take(.cancellation) }

  func resumeSending() { take(.resumption) }

  /// Before it is open nothing was answered: the transport may end the call at once.
  func drain() -> Bool {
    let phase = state.withLock { $0.phase }
    if case .open(let call) = phase { return call.drain() }
    return false
  }

  private func take(_ event: Event) {
    let call = state.withLock { state -> (any StreamCall)? in
      switch state.phase {
      case .ended: return nil
      case .open(let call): return call
      case .opening, .passingOn:
        if case .cancellation = event { state.isCancelled = true }
        state.waiting.append(event)
        return nil
      }
    }
    if let call { Self.pass(event, to: call) }
  }

  private static func pass(_ event: Event, to call: any StreamCall) {
    switch event {
    case .message(let bytes): call.receive(bytes)
    case .endOfRequests: call.finishRequests()
    case .cancellation: call.cancel()
    case .resumption: call.resumeSending()
    }
  }
}
