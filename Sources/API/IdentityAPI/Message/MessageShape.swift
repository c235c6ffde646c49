import BaseJSON

/// The fields of a request message, by their official names.
///
/// Requests are checked against their shape before anything reads them: an unknown name or a value
/// of another kind is refused as Google's servers refuse it. Names may come in snake_case.
struct MessageShape: Sendable {
  /// The type of a field.
  indirect enum Kind: Sendable {
    case text
    case flag
    /// A 64-bit integer, as a number or as text.
    case integer
    /// Text, or the number of an enum's value.
    case name
    case texts
    case message(MessageShape)
    case messages(MessageShape)
    /// Any JSON.
    case anything
  }

  let fields: [String: Kind]

  /// Fields of those kinds.
  init(_ fields: [String: Kind] = [:]) { self.fields = fields }

  /// Fields of text, beside others.
  init(texts: [String], _ others: [String: Kind] = [:]) {
    fields = others.merging(texts.map { ($0, Kind.text) }) { kept, _ in kept }
  }

  /// The fields of both.
  func with(_ others: MessageShape) -> MessageShape {
    MessageShape(fields.merging(others.fields) { kept, _ in kept })
  }

  /// The message of that JSON.
  func read(_ json: JSONValue) throws -> IdentityMessage {
    guard case .object(let members) = json else {
      throw IdentityFailure.invalid("Invalid JSON payload received. Expected an object.")
    }
    var values: [String: IdentityMessage.Value] = [:]
    for member in members where member.value != .null {
      let name = fields[member.key] == nil ? Self.camelCase(member.key) : member.key
      guard let kind = fields[name] else {
        throw IdentityFailure.invalid(
          "Invalid JSON payload received. Unknown name \"\(member.key.prefix(100))\": "
            + "Cannot find field."
        )
      }
      values[name] = try Self.value(member.value, kind, name)
    }
    return IdentityMessage(values)
  }

  private static func value(
    _ json: JSONValue,
    _ kind: Kind,
    _ name: String
  ) throws -> IdentityMessage.Value {
    switch (kind, json) {
    case (.text, .string(let text)), (.name, .string(let text)): return .text(text)
    case (.name, .number(let number)): return .text(number)
    case (.flag, .boolean(let flag)): return .flag(flag)
    case (.integer, .number(let text)), (.integer, .string(let text)):
      guard let number = Int64(text) else { throw invalid(json, name, "TYPE_INT64") }
      return .integer(number)
    case (.texts, .array(let elements)):
      return .texts(
        try elements.map {
          switch $0 {
          case .string(let text), .number(let text): text
          default: throw invalid($0, name, "TYPE_STRING")
          }
        }
      )
    case (.message(let shape), .object): return .message(try shape.read(json))
    case (.messages(let shape), .array(let elements)):
      return .messages(try elements.map(shape.read))
    case (.anything, _): return .json(json)
    default: throw invalid(json, name, kind.typeName)
    }
  }

  private static func invalid(_ json: JSONValue, _ name: String, _ type: String) -> IdentityFailure
  {
    .invalid("Invalid value at '\(name)' (\(type)), \(json.excerpt)")
  }

  /// `photo_url` as `photoUrl`.
  private static func camelCase(_ name: String) -> String {
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count > 1 else { return name }
    return parts.dropFirst().reduce(String(parts[0])) {
      $0 + $1.prefix(1).uppercased() + $1.dropFirst()
    }
  }
}

extension MessageShape.Kind {
  fileprivate var typeName: String {
    switch self {
    case .text, .texts: "TYPE_STRING"
    case .flag: "TYPE_BOOL"
    case .integer: "TYPE_INT64"
    case .name: "TYPE_ENUM"
    case .message, .messages, .anything: "TYPE_MESSAGE"
    }
  }
}
