import Access
import FirestoreService
import Synchronization

/// The service's half of a bidirectional call, in a test's hands.
final class ScriptedCall: StreamCall {
  /// A signal of the transport to the call.
  enum Event: Sendable, Equatable {
    case message([UInt8])
    case requestsFinished
    case cancelled
    case resumed
    case drained
  }

  let context: CallContext
  let responses: any StreamResponses
  /// Run within `receive`, on the connection's event loop.
  let onMessage = Mutex<(@Sendable ([UInt8]) -> Void)?>(nil)
  /// The return value of `drain`.
  let endsItself = Mutex(false)
  private let echoes: Bool
  private let seen = Mutex<[Event]>([])
  private let events: AsyncStream<Event>
  private let continuation: AsyncStream<Event>.Continuation

  init(context: CallContext, responses: any StreamResponses, echoes: Bool) {
    self.context = context
    self.responses = responses
    self.echoes = echoes
    (events, continuation) = AsyncStream.makeStream()
  }

  /// Everything so far.
  var history: [Event] { seen.withLock { $0 } }

  /// The next events until one is that; false where the call is gone first.
  func wait(for event: Event) async -> Bool {
    for await next in events where next == event { return true }
    return false
  }

  /// The next event.
  func next() async -> Event? {
    for await event in events { return event }
    return nil
  }

  func receive(_ message: [UInt8]) {
    if echoes { responses.send([message]) }
    onMessage.withLock { $0 }?(message)
    tell(.message(message))
  }

  func finishRequests() {
    tell(.requestsFinished)
    if echoes { responses.finish(nil) }
  }

  func cancel() { tell(.cancelled) }

  func resumeSending() { tell(.resumed) }

  func drain() -> Bool {
    tell(.drained)
    return endsItself.withLock { $0 }
  }

  private func tell(_ event: Event) {
    seen.withLock { $0.append(event) }
    continuation.yield(event)
  }
}
