import BaseText
import KeyValueStore

// The results of messages.

/// A message with its counts.
package struct MessageReport: Sendable {
  /// The message; its stage is `summarized` where only the counts are kept.
  package let message: StoredMessage
  /// Deliveries by channel and state, when the report was read.
  package let counts: MessageCounts
}

extension MessageReport {
  fileprivate init(_ summary: MessageSummary) {
    self.init(message: summary.message, counts: summary.counts)
  }
}

/// One delivery of a message.
package struct DeliveryReport: Sendable {
  /// The registration's number.
  package let registration: Int64
  /// The delivery's state when the report was read.
  package let delivery: Delivery
}

extension PushService {
  /// A message and its counts; nil where there is none.
  package func report(_ id: Int64, of project: Text) async throws -> MessageReport? {
    try await read { try Self.report(project, id, $0) }
  }

  private static func report(
    _ project: Text,
    _ id: Int64,
    _ reader: any KeyValueReader
  ) throws -> MessageReport? {
    guard let message = try StoredMessage.read(project, id, reader) else {
      return try MessageSummary.read(project, id, reader).map(MessageReport.init)
    }
    if let counts = try reader.get(MessagingKey(.counts, project, id).bytes) {
      return MessageReport(message: message, counts: try MessageCounts(decoding: counts))
    }
    if case .registration(let number) = message.target,
      let delivery = try Delivery.read(project, id, number, reader), delivery.isSole
    {
      return MessageReport(message: message, counts: MessageCounts(of: delivery))
    }
    // One that is being deleted has lost them to its summary.
    let summary = try MessageSummary.read(project, id, reader)
    return MessageReport(message: message, counts: summary?.counts ?? MessageCounts())
  }

  /// A project's messages, the newest first, from below an id.
  package func reports(
    of project: Text,
    before id: Int64 = .max,
    limit: Int
  ) async throws -> [MessageReport] {
    try await read(on: .scans) { reader in
      var reports: [MessageReport] = []
      for kind in [MessagingKey.Kind.message, .summary] {
        let last = reports.last?.message.id ?? id
        var range = MessagingKey(kind, project).range
        if last != .max { range.upper = MessagingKey(kind, project, last).bytes }
        let cursor = try reader.cursor(over: range, reversed: true)
        while reports.count < limit, try cursor.next() {
          let id = try MessagingKey.number(in: cursor.key)
          if let report = try Self.report(project, id, reader) { reports.append(report) }
        }
      }
      return reports
    }
  }

  /// Deliveries of a message behind a registration's number.
  package func deliveries(
    of id: Int64,
    in project: Text,
    after number: Int64 = 0,
    limit: Int
  ) async throws -> [DeliveryReport] {
    try await read(on: .scans) { reader in
      let prefix = MessagingKey(.delivery, project, id)
      let cursor = try reader.cursor(over: prefix.range(after: number), reversed: false)
      var found: [DeliveryReport] = []
      while found.count < limit, try cursor.next() {
        let delivery = try Delivery(decoding: cursor.value)
        let number = try MessagingKey.number(in: cursor.key)
        found.append(DeliveryReport(registration: number, delivery: delivery))
      }
      return found
    }
  }

  /// Figures for the metrics page.
  package var metrics: [(name: String, value: Double)] {
    figures.all + [
      ("messaging_accepted_total", Double(figures.accepted.load(ordering: .relaxed))),
      ("messaging_retries_total", Double(figures.retries.load(ordering: .relaxed))),
      ("messaging_streams", Double(streams.count)),
    ]
  }
}
