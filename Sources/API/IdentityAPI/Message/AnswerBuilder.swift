import BaseJSON

/// Builds a JSON object member by member; absent or empty members are left out, as Google does.
struct AnswerBuilder {
  private(set) var members: [JSONValue.Member] = []

  /// An empty object, or one of that `kind`.
  init(kind: String? = nil) {
    if let kind { put("kind", "identitytoolkit#\(kind)") }
  }

  var json: JSONValue { .object(members) }

  mutating func put(_ name: String, _ text: String?) {
    if let text, !text.isEmpty { set(name, .string(text)) }
  }

  /// A 64-bit integer, which JSON carries as text.
  mutating func put(_ name: String, _ number: Int64?) {
    if let number { set(name, .string(String(number))) }
  }

  /// A flag, left out when it is down.
  mutating func put(_ name: String, _ flag: Bool) {
    if flag { set(name, .boolean(true)) }
  }

  /// An array, left out when it is empty.
  mutating func put(_ name: String, _ elements: [JSONValue]) {
    if !elements.isEmpty { set(name, .array(elements)) }
  }

  /// Any value, as it is.
  mutating func set(_ name: String, _ value: JSONValue) {
    members.append(.init(name, value))
  }
}
