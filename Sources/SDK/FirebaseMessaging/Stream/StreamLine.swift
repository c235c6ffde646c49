import Foundation

/// A line of the stream.
enum StreamLine: Sendable, Equatable {
  /// The stream is open. Messages may have been dropped since the last one; those behind the sequence come, if the server says one.
  case connected(hasDropped: Bool, acknowledged: Int64?)
  case message(RemoteMessage, sequence: Int64)

  /// Reads a line; nil for those of later versions and for text that is not JSON.
  init?(_ line: Data) {
    guard let json = try? JSONSerialization.jsonObject(with: line),
      let members = json as? [String: Any]
    else { return nil }
    if let connected = members["connected"] as? [String: Any] {
      let flag = members["deleted"] ?? connected["deleted"]
      self = .connected(
        hasDropped: flag as? Bool ?? false,
        acknowledged: Self.sequence(connected["acknowledged"])
      )
    } else if let content = members["message"] as? [String: Any],
      let sequence = Self.sequence(members["sequence"]),
      let message = RemoteMessage(id: members["messageId"] as? String, json: content)
    {
      self = .message(message, sequence: sequence)
    } else {
      return nil
    }
  }

  private static func sequence(_ json: Any?) -> Int64? {
    (json as? String).flatMap(Int64.init) ?? (json as? NSNumber)?.int64Value
  }
}
