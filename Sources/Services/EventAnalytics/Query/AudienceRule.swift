import BaseJSON
import BaseStatus

/// The rule by which users belong to an audience: their events or properties within its days.
///
/// As JSON, an object with one member: `{"event": name}`, `{"property": {"name": …, "value": …}}`,
/// `{"country": "BR"}` and the other dimensions, `{"group": "active"}` or `"new"`, `{"all": […]}`, `{"any": […]}`,
/// `{"not": …}`.
package indirect enum AudienceRule: Sendable, Equatable {
  case event(String)
  case property(String, String)
  case dimension(BreakdownDimension, String)
  case active
  case new
  case all([AudienceRule])
  case any([AudienceRule])
  case not(AudienceRule)

  private static let depthLimit = 8
  private static let partLimit = 20

  /// Reads a rule; throws INVALID_ARGUMENT for any other value.
  package init(_ json: JSONValue) throws(ServiceError) { try self.init(json, depth: 0) }

  private init(_ json: JSONValue, depth: Int) throws(ServiceError) {
    guard depth < Self.depthLimit, let members = json.members, members.count == 1 else {
      throw Self.malformed
    }
    switch (members[0].key, members[0].value) {
    case ("event", .string(let name)): self = .event(name)
    case ("group", .string("active")): self = .active
    case ("group", .string("new")): self = .new
    case ("property", let property):
      guard let name = property["name"]?.string, let value = property["value"]?.string else {
        throw Self.malformed
      }
      self = .property(name, value)
    case ("all", .array(let parts)): self = .all(try Self.parts(parts, depth))
    case ("any", .array(let parts)): self = .any(try Self.parts(parts, depth))
    case ("not", let part): self = .not(try AudienceRule(part, depth: depth + 1))
    case (let name, .string(let value)):
      guard let dimension = BreakdownDimension(rawValue: name) else { throw Self.malformed }
      self = .dimension(dimension, value)
    default: throw Self.malformed
    }
  }

  private static func parts(
    _ json: [JSONValue],
    _ depth: Int
  ) throws(ServiceError) -> [AudienceRule] {
    guard (1...partLimit).contains(json.count) else { throw malformed }
    var parts: [AudienceRule] = []
    for part in json { parts.append(try AudienceRule(part, depth: depth + 1)) }
    return parts
  }

  private static let malformed = ServiceError.invalidArgument(
    "A rule of an audience must have exactly one member: event, property, group, a dimension, all, any or not."
  )

  /// The rule as it was read.
  package var json: JSONValue {
    switch self {
    case .event(let name): .object([.init("event", .string(name))])
    case .property(let name, let value):
      .object([
        .init("property", .object([.init("name", .string(name)), .init("value", .string(value))]))
      ])
    case .dimension(let dimension, let value):
      .object([.init(dimension.rawValue, .string(value))])
    case .active: .object([.init("group", .string("active"))])
    case .new: .object([.init("group", .string("new"))])
    case .all(let parts): .object([.init("all", .array(parts.map(\.json)))])
    case .any(let parts): .object([.init("any", .array(parts.map(\.json)))])
    case .not(let part): .object([.init("not", part.json)])
    }
  }
}

/// A saved set of users: who meets a rule within the last days.
package struct Audience: Sendable, Equatable {
  /// The most days that a rule looks back.
  package static let dayLimit = 540
  /// The audience's name in its project, 1 to 100 characters.
  package let name: String
  /// The number of days up to today that the rule looks at.
  package let days: Int
  /// The condition that each member meets within these days.
  package let rule: AudienceRule

  /// An audience from `{"days": 28, "rule": {…}}`; INVALID_ARGUMENT for any other value.
  package init(named name: String, _ json: JSONValue) throws(ServiceError) {
    let days = json["days"] == nil ? 28 : json["days"]?.integer ?? 0
    guard (1...100).contains(name.unicodeScalars.count) else {
      throw .invalidArgument("An audience's name must have 1 to 100 characters.")
    }
    guard (1...Int64(Self.dayLimit)).contains(days) else {
      throw .invalidArgument("An audience must cover 1 to \(Self.dayLimit) days.")
    }
    guard let rule = json["rule"] else { throw .invalidArgument("An audience needs a rule.") }
    self.name = name
    self.days = Int(days)
    self.rule = try AudienceRule(rule)
  }

  /// The form that `init` reads.
  package var json: JSONValue {
    .object([.init("days", .integer(days)), .init("rule", rule.json)])
  }
}
