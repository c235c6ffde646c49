/// Compares the acknowledged writes with the collection's contents afterwards.
struct DurabilityCheck {
  private let target: LoadTarget
  private let countBefore: Int64
  private let metricsBefore: ServerMetrics?

  /// Counts the collection before the run.
  init(_ target: LoadTarget) async throws {
    self.target = target
    countBefore = try await Self.count(target)
    metricsBefore = try ServerMetrics.fetch(target)
  }

  /// The lines to print after the run; `areNew` says that none of the documents was there before.
  func lines(acknowledged: Int, areNew: Bool = true) async throws -> [String] {
    let now = try await Self.count(target)
    let found = areNew ? now - countBefore : now
    var lines = [
      "durable: \(acknowledged) documents acknowledged, the collection has \(now - countBefore) more"
        + " (\(now) in all)"
    ]
    if found < Int64(acknowledged) { lines.append("LOST: \(Int64(acknowledged) - found)") }
    if let before = metricsBefore, let after = try ServerMetrics.fetch(target),
      let groups = after.groups(since: before)
    {
      lines.append(groups)
    }
    return lines
  }

  /// Returns the number of documents in the collection.
  static func count(_ target: LoadTarget) async throws -> Int64 {
    let request = OutgoingCall(
      method: .runAggregationQuery,
      message: RequestMessages.count(in: target)
    )
    let answer = try await LoadRun.call(request, to: target)
    guard answer.status == 0, let message = answer.messages.first else {
      throw LoadError.refused("counting \(target.collection): \(answer.errorName)")
    }
    // result, its first aggregate field, the entry's value
    return ResponseMessages.integer([1, 2, 2], in: message) ?? 0
  }
}
