import BaseJSON

/// A request message that fits its shape.
struct IdentityMessage: Sendable {
  /// The value of a field.
  enum Value: Sendable {
    case text(String)
    case flag(Bool)
    case integer(Int64)
    case texts([String])
    case message(IdentityMessage)
    case messages([IdentityMessage])
    case json(JSONValue)
  }

  private let values: [String: Value]

  /// A message of those fields.
  init(_ values: [String: Value] = [:]) { self.values = values }

  /// Returns true if the field came at all.
  func has(_ name: String) -> Bool { values[name] != nil }

  /// The text, also an empty one; nil when the field did not come.
  func given(_ name: String) -> String? {
    if case .text(let text)? = values[name] { text } else { nil }
  }

  /// The text; nil when it is empty or did not come.
  func text(_ name: String) -> String? { given(name).flatMap { $0.isEmpty ? nil : $0 } }

  /// The text of an email's field; an empty one is no absent one, and INVALID_EMAIL.
  func address(_ name: String) throws(IdentityFailure) -> String? {
    let given = given(name)
    guard given?.isEmpty != true else { throw IdentityFailure.code("INVALID_EMAIL") }
    return given
  }

  func flag(_ name: String) -> Bool? {
    if case .flag(let flag)? = values[name] { flag } else { nil }
  }

  func integer(_ name: String) -> Int64? {
    if case .integer(let number)? = values[name] { number } else { nil }
  }

  func texts(_ name: String) -> [String] {
    if case .texts(let texts)? = values[name] { texts } else { [] }
  }

  func message(_ name: String) -> IdentityMessage? {
    if case .message(let message)? = values[name] { message } else { nil }
  }

  func messages(_ name: String) -> [IdentityMessage]? {
    if case .messages(let messages)? = values[name] { messages } else { nil }
  }

  func json(_ name: String) -> JSONValue? {
    if case .json(let json)? = values[name] { json } else { nil }
  }
}
