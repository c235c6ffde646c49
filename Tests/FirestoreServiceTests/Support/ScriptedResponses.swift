import Access
import BaseStatus
import Dispatch
import FirestoreService
import Synchronization

/// The transport's half of a bidirectional call, as a record of what the service said.
final class ScriptedResponses: StreamResponses {
  enum Event: Sendable, Hashable {
    case message([UInt8])
    case reading(Bool)
    case finished(StatusCode, String)
  }

  private struct State {
    var events: [Event] = []
    var waiters: [Waiter] = []
  }

  /// Somebody who waits for the next event, or for his time to be up.
  private final class Waiter: Sendable {
    private let continuation: Mutex<CheckedContinuation<Bool, Never>?>

    init(_ continuation: CheckedContinuation<Bool, Never>) {
      self.continuation = Mutex(continuation)
    }

    func resume(inTime: Bool) {
      let waiting = continuation.withLock { $0.take() }
      waiting?.resume(returning: inTime)
    }
  }

  private let state = Mutex(State())
  /// The return value of `send`.
  let hasRoom = Mutex(true)

  /// Everything so far.
  var events: [Event] { state.withLock { $0.events } }

  /// The messages so far.
  var messages: [[UInt8]] {
    events.compactMap { if case .message(let bytes) = $0 { bytes } else { nil } }
  }

  func send(_ messages: [[UInt8]]) -> Bool {
    note(messages.map(Event.message))
    return hasRoom.withLock { $0 }
  }

  func setReading(_ isReading: Bool) { note([.reading(isReading)]) }

  func finish(_ error: ServiceError?) {
    note([.finished(error?.code ?? .ok, error?.message ?? "")])
  }

  private func note(_ events: [Event]) {
    let waiters = state.withLock { state in
      state.events += events
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume(inTime: true) }
  }

  // MARK: Waiting

  /// Returns the first value that the question gives; nil if ten minutes go by without an event.
  ///
  /// The question is asked again after each event, and not in between.
  func eventually<Answer>(_ question: () -> Answer?) async -> Answer? {
    while true {
      let count = state.withLock { $0.events.count }
      if let answer = question() { return answer }
      guard await change(since: count) else { return question() }
    }
  }

  /// Waits for an event; false where none comes.
  private func change(since count: Int) async -> Bool {
    await withCheckedContinuation { continuation in
      let waiter = Waiter(continuation)
      let isOver = state.withLock { state in
        guard state.events.count == count else { return true }
        state.waiters.append(waiter)
        return false
      }
      guard !isOver else { return waiter.resume(inTime: true) }
      DispatchQueue.global().asyncAfter(deadline: .now() + 600) { waiter.resume(inTime: false) }
    }
  }
}
