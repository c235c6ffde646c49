import BaseJSON
import EventAnalytics

/// Checks the members of a Measurement Protocol request beside its events: consent, the user, the
/// location.
///
/// Hashes of people in `user_data`, addresses and consent to advertisements are read only here:
/// none of it is stored.
struct ProtocolCheck {
  /// The faults, and the members that the protocol does not have, where `validation_behavior` asks
  /// for that; events count all the same.
  private(set) var remarks: [EventDrop] = []
  private let json: JSONValue

  /// Checks a request that comes at a time, in microseconds.
  init(_ json: JSONValue, now: Int64) {
    self.json = json
    checkTimes(now)
    let behaviors = ["RELAXED", "ENFORCE_RECOMMENDATIONS"]
    requireChoice("validation_behavior", json["validation_behavior"], behaviors)
    for name in Self.consents {
      requireChoice("consent.\(name)", json["consent"]?[name], ["GRANTED", "DENIED"])
    }
    for name in ["consent", "user_data", "user_location", "device", "user_properties"] {
      require(name, json[name], "an object") { $0.members != nil }
    }
    require("non_personalized_ads", json["non_personalized_ads"], "a boolean") {
      $0 == .boolean(true) || $0 == .boolean(false)
    }
    require("ip_override", json["ip_override"], "a text") { $0.string != nil }
    guard json["validation_behavior"]?.string == behaviors[1] else { return }
    recommend(json, Self.members, "")
    for (name, members) in Self.innerMembers { recommend(json[name], members, "\(name).") }
  }

  private static let consents = ["ad_user_data", "ad_personalization"]
  private static let members: Set<String> = [
    "app_instance_id", "client_id", "user_id", "timestamp_micros", "user_properties", "user_data",
    "consent", "non_personalized_ads", "user_location", "ip_override", "device",
    "validation_behavior", "events",
  ]
  private static let innerMembers: [(String, Set<String>)] = [
    ("consent", Set(consents)),
    ("user_location", ["city", "region_id", "country_id", "subcontinent_id", "continent_id"]),
    (
      "device",
      [
        "category", "language", "screen_resolution", "operating_system",
        "operating_system_version", "model", "brand", "browser", "browser_version",
      ]
    ),
  ]

  /// Checks `timestamp_micros` of the request, its events and its user's properties.
  ///
  /// A time that cannot be read counts as none. An event with a time that is too old or in the
  /// future is dropped and reported.
  private mutating func checkTimes(_ now: Int64) {
    let name = "timestamp_micros"
    if let time = requireTime(name, json[name]) {
      let bounds = (now - EventLimits.age)...(now + EventLimits.future)
      if !bounds.contains(time) {
        let text =
          "The field [\(name)] must be in microseconds, at most 72 hours ago and not in the future."
        remarks.append(EventDrop(index: nil, field: name, .valueOutOfBounds, text))
      }
    }
    for (index, event) in (json["events"]?.elements ?? []).prefix(100).enumerated() {
      _ = requireTime(name, event[name], of: index)
    }
    for property in (json["user_properties"]?.members ?? []).prefix(100) {
      _ = requireTime("user_properties.\(property.key.prefix(60)).\(name)", property.value[name])
    }
  }

  /// The time of a field; nil if it is absent or cannot be read, which is reported.
  private mutating func requireTime(
    _ field: String,
    _ value: JSONValue?,
    of index: Int? = nil
  ) -> Int64? {
    guard let value, value != .null else { return nil }
    if let time = ProtocolMessage.time(value) { return time }
    let text = "The field [\(field)] must be a whole number of microseconds since 1970."
    remarks.append(EventDrop(index: index, field: field, .valueInvalid, text))
    return nil
  }

  private mutating func requireChoice(_ field: String, _ value: JSONValue?, _ choices: [String]) {
    require(field, value, choices.joined(separator: " or ")) {
      $0.string.map(choices.contains) ?? false
    }
  }

  private mutating func require(
    _ field: String,
    _ value: JSONValue?,
    _ form: String,
    _ isRight: (JSONValue) -> Bool
  ) {
    guard let value, value != .null, !isRight(value) else { return }
    let text = "The field [\(field)] must be \(form)."
    remarks.append(EventDrop(index: nil, field: field, .valueInvalid, text))
  }

  private mutating func recommend(_ json: JSONValue?, _ known: Set<String>, _ path: String) {
    for member in json?.members ?? [] where !known.contains(member.key) {
      guard remarks.count < 100 else { return }
      let field = "\(path)\(member.key.prefix(60))"
      let text = "The protocol has no field [\(field)]."
      remarks.append(EventDrop(index: nil, field: field, .valueInvalid, text))
    }
  }

  /// Two letters, from the country or else from the region (`BR-SP`); empty where the request says neither.
  var country: String {
    let location = json["user_location"]
    let code =
      location?["country_id"]?.string
      ?? location?["region_id"]?.string?.split(separator: "-").first.map(String.init) ?? ""
    return String(code.prefix(2)).uppercased()
  }
}
