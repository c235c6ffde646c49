/// A JSON text as a tree, loss-free: numbers keep their spelling, objects their order.
package enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  /// As it was written, since 64-bit integers do not fit a double.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// One name and its value.
  package struct Member: Sendable, Hashable {
    /// The name with its escapes resolved; an object may have it twice.
    package let name: String
    /// The member's value, its numbers as they were written.
    package var value: JSONValue

    /// A member of an object.
    package init(name: String, value: JSONValue) {
      self.name = name
      self.value = value
    }
  }

  /// The value as an error shows it, long texts cut.
  package var description: String {
    switch self {
    case .null: "null"
    case .bool(let flag): String(flag)
    case .number(let text): String(text.prefix(100))
    case .string(let text): "\"\(text.prefix(100))\""
    case .array: "[...]"
    case .object: "{...}"
    }
  }
}

extension JSONValue {
  /// An object of these members, in this order.
  package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member(name: $0.key, value: $0.value) })
  }

  /// The compact text.
  package var text: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.text
  }

  private func write(to writer: inout JSONWriter) {
    switch self {
    case .null: writer.raw("null")
    case .bool(let flag): writer.raw(flag ? "true" : "false")
    case .number(let number): writer.raw(number)
    case .string(let string): writer.string(string)
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
          writer.name(member.name)
          member.value.write(to: &writer)
        }
      }
    }
  }

  /// Sets a value inside an object, making the objects on the way.
  ///
  /// - Returns: false, nothing set, where something other than an object is on the way.
  mutating func set(_ value: JSONValue, at path: ArraySlice<String>) -> Bool {
    guard let name = path.first else {
      self = value
      return true
    }
    guard case .object(var members) = self else { return false }
    self = .null
    let index = members.firstIndex { $0.name == name } ?? members.endIndex
    if index == members.endIndex { members.append(Member(name: name, value: .object([]))) }
    let done = members[index].value.set(value, at: path.dropFirst())
    self = .object(members)
    return done
  }

  /// Appends to an array inside an object, making what is on the way.
  mutating func append(_ value: JSONValue, at path: ArraySlice<String>) -> Bool {
    var elements: [JSONValue] = []
    if case .array(let earlier)? = self[path] { elements = earlier }
    return set(.array(elements + [value]), at: path)
  }

  /// The value at a path of names; nil where there is none.
  package subscript(path: ArraySlice<String>) -> JSONValue? {
    guard let name = path.first else { return self }
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value[path.dropFirst()]
  }
}
