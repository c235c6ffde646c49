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

  private let record = Mutex<[Event]>([])
  /// What `send` answers.
  let hasRoom = Mutex(true)

  /// Everything so far.
  var events: [Event] { record.withLock { $0 } }

  /// The messages so far.
  var messages: [[UInt8]] {
    events.compactMap { if case .message(let bytes) = $0 { bytes } else { nil } }
  }

  func send(_ messages: [[UInt8]]) -> Bool {
    record.withLock { $0 += messages.map(Event.message) }
    return hasRoom.withLock { $0 }
  }

  func setReading(_ isReading: Bool) { record.withLock { $0.append(.reading(isReading)) } }

  func finish(_ error: FirestoreError?) {
    record.withLock { $0.append(.finished(error?.code ?? .ok, error?.message ?? "")) }
  }
}
