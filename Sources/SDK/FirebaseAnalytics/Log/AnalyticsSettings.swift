/// The settings of an installation that are kept beside its events.
struct AnalyticsSettings: Codable, Sendable, Hashable {
  /// Nil where the app never said; then its property list decides.
  var isEnabled: Bool?
  /// The app instance's id since the data were reset; nil is the installation's.
  var instanceID: String?
  /// The proof of that id for the server; nil where data were reset by an older version.
  var instanceSecret: String?
  var defaultParameters: [String: EventValue] = [:]
  var sessionTimeoutMillis: Int64 = 1_800_000
  var session: SessionState?
  var sessionCount: Int64 = 0
  var hasFirstOpen = false
  /// The time at which the app was first opened, in microseconds; older files have none.
  var firstOpenMicros: Int64?
  /// The number of the next batch; zero before the first one.
  ///
  /// The first one of a file is its time, so that an installation whose id outlived its file does not use a number
  /// twice.
  var nextBatch: Int64 = 0
  var nextSequence: Int64 = 1
}
