/// The receipts that the server does not have yet: of messages that arrived.
struct Receipts: Sendable, Equatable {
  /// Everything of the stream up to this was handed over.
  private(set) var sequence: Int64?
  /// The ids of messages that arrived.
  private(set) var received: [String] = []

  /// More than the server takes in one request.
  private static let limit = 100

  var isEmpty: Bool { sequence == nil && received.isEmpty }

  /// Notes a message; beyond the limit the oldest receipts go.
  mutating func note(_ id: String?, sequence: Int64?) {
    if let sequence { self.sequence = max(sequence, self.sequence ?? 0) }
    guard let id else { return }
    received.append(id)
    if received.count > Self.limit { received.removeFirst() }
  }

  /// Puts back reports that could not be sent, in front of later ones.
  mutating func restore(_ older: Receipts) {
    if let sequence = older.sequence { self.sequence = max(sequence, self.sequence ?? 0) }
    received = Array((older.received + received).suffix(Self.limit))
  }

  /// Sequences restart: the recorded ones have no meaning any more.
  mutating func forgetSequence() { sequence = nil }

  /// Returns all of it, and has nothing left.
  mutating func take() -> Receipts {
    defer { self = Receipts() }
    return self
  }
}
