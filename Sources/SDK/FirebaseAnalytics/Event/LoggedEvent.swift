/// An event as it is kept and sent.
struct LoggedEvent: Codable, Sendable, Hashable {
  var name: String
  /// The time of the event, by the device's clock: microseconds since 1970.
  var timeMicros: Int64
  /// The order of events, from one.
  var sequence: Int64
  var params: [String: EventValue]
}
