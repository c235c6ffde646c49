/// A JSON document (RFC 8259) with its members in their order and its numbers as they are spelled.
package enum JSONValue: Sendable, Hashable {
  case null
  case boolean(Bool)
  /// As it is spelled.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// In the order of the document.
  case object([Member])

  /// One member of an object.
  package struct Member: Sendable, Hashable {
    /// The name with its escapes resolved; a document may have it twice.
    package let key: String
    /// The member's value, its numbers as they are spelled.
    package var value: JSONValue

    /// A member of that name.
    package init(_ key: String, _ value: JSONValue) {
      self.key = key
      self.value = value
    }
  }

  /// The document on several lines, two spaces a level; lists and objects of `flat` are on one.
  package func printed(indent: Int = 0, flat: (JSONValue) -> Bool = { _ in false }) -> String {
    let inner = String(repeating: " ", count: indent + 2)
    let outer = String(repeating: " ", count: indent)
    switch self {
    case .null: return "null"
    case .boolean(let flag): return flag ? "true" : "false"
    case .number(let digits): return digits
    case .string(let text): return Self.quoted(text)
    case .array(let elements):
      if elements.isEmpty { return "[]" }
      let lines = elements.map { $0.printed(indent: indent + 2, flat: flat) }
      if flat(self) { return "[" + lines.joined(separator: ", ") + "]" }
      return "[\n" + lines.map { inner + $0 }.joined(separator: ",\n") + "\n\(outer)]"
    case .object(let members):
      let lines = members.map {
        "\(Self.quoted($0.key)): \($0.value.printed(indent: indent + 2, flat: flat))"
      }
      if flat(self) { return "{ " + lines.joined(separator: ", ") + " }" }
      return "{\n" + lines.map { inner + $0 }.joined(separator: ",\n") + "\n\(outer)}"
    }
  }

  /// The document without any space.
  package var compact: String { String(decoding: compactBytes, as: UTF8.self) }

  /// The document without any space, in UTF-8.
  package var compactBytes: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.text
  }

  private func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.raw("null")
    case .boolean(let flag): writer.raw(flag ? "true" : "false")
    case .number(let digits): writer.raw(digits)
    case .string(let text): writer.string(text)
    case .array(let elements):
      writer.array { writer in
        for element in elements {
          writer.element()
          element.write(to: &writer)
        }
      }
    case .object(let members):
      writer.object { writer in
        for member in members {
          writer.name(member.key)
          member.value.write(to: &writer)
        }
      }
    }
  }

  private static func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.string(text)
    return String(decoding: writer.text, as: UTF8.self)
  }

  /// The value as an error shows it, long texts cut.
  package var excerpt: String {
    switch self {
    case .null: "null"
    case .boolean(let flag): String(flag)
    case .number(let text): String(text.prefix(100))
    case .string(let text): "\"\(text.prefix(100))\""
    case .array: "[...]"
    case .object: "{...}"
    }
  }
}
