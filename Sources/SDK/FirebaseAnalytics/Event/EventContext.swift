/// The facts about events besides themselves, which are the same for all of a batch.
struct EventContext: Codable, Sendable, Hashable {
  /// A property of the user.
  struct Property: Codable, Sendable, Hashable {
    /// Nil where it was removed.
    var value: String?
    var setTimeMillis: Int64
  }

  var userID: String?
  var properties: [String: Property] = [:]
  /// The consent by the server's names: `GRANTED` or `DENIED`.
  var consent: [String: String] = [:]
  var device = EventDevice()
  /// Events go out at once, and only to the live view.
  var isDebug = false

  /// True if the events may not be tied to an installation.
  var isAnonymous: Bool { consent["analyticsStorage"] == "DENIED" }
}
