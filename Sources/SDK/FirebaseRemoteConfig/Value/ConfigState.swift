import Foundation

/// Everything that is kept between runs.
struct ConfigState: Codable, Sendable, Equatable {
  static let version = 1

  /// Values of the server with the number under which it serves them.
  struct Fetched: Codable, Sendable, Equatable {
    var entries: [String: String] = [:]
    var templateVersion: Int64 = 0
    /// The variant of each experiment with values; nil in data of an older version.
    var variants: [String: String]?
  }

  var version = ConfigState.version
  var defaults: [String: Data] = [:]
  /// The values that the app sees.
  var active = Fetched()
  /// The values of the last fetch; the app sees them after their activation.
  var fetched = Fetched()
  /// True if `fetched` has not been activated yet.
  var isFresh = false
  /// The variants whose values the app has seen, and whose exposure is logged.
  var exposed: [String: String]?
  var etag: String?
  var lastFetchTime: Date?
  var lastFetchStatus = 0
  var customSignals: [String: String] = [:]
  var throttledUntil: Date?
  /// Refusals of the server one after the other.
  var refusals = 0

  /// Reads bytes; a state without anything where they are damaged or of another version.
  init(decoding data: Data?) {
    let known = data.flatMap { try? JSONDecoder().decode(ConfigState.self, from: $0) }
    self = known?.version == Self.version ? known ?? ConfigState() : ConfigState()
  }

  init() {}

  func encoded() throws -> Data { try JSONEncoder().encode(self) }

  /// The value that the app sees for a key.
  func value(_ key: String) -> RemoteConfigValue {
    if let text = active.entries[key] { return RemoteConfigValue(Data(text.utf8), .remote) }
    if let data = defaults[key] { return RemoteConfigValue(data, .default) }
    return RemoteConfigValue(Data(), .static)
  }

  /// The keys whose values would change by an activation.
  var changedKeys: Set<String> {
    let all = Set(active.entries.keys).union(fetched.entries.keys)
    return all.filter { active.entries[$0] != fetched.entries[$0] }
  }
}
