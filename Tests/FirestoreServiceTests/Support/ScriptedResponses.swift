import Dispatch
import FirestoreModel
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
    var waiters: [CheckedContinuation<Void, Never>] = []
    var isLate = false
  }

  private let state = Mutex(State())
  /// What `send` answers.
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

  func finish(_ error: FirestoreError?) {
    note([.finished(error?.code ?? .ok, error?.message ?? "")])
  }

  private func note(_ events: [Event]) {
    let waiters = state.withLock { state in
      state.events += events
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }

  // MARK: Waiting

  /// What the question gives as soon as that is something; nil where it takes a minute.
  ///
  /// Asked again after each event, and not in between.
  func eventually<Answer>(_ question: () -> Answer?) async -> Answer? {
    DispatchQueue.global().asyncAfter(deadline: .now() + 60) { [weak self] in self?.giveUp() }
    while true {
      let (count, isLate) = state.withLock { ($0.events.count, $0.isLate) }
      if let answer = question() { return answer }
      if isLate { return nil }
      await change(since: count)
    }
  }

  private func change(since count: Int) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        guard state.events.count == count, !state.isLate else { return true }
        state.waiters.append(continuation)
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  private func giveUp() {
    let waiters = state.withLock { state in
      state.isLate = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.resume() }
  }
}
