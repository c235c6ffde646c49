/// A JSON text as a tree, loss-free: numbers keep their spelling, objects their order.
enum JSONValue: Sendable, Hashable {
  case null
  case bool(Bool)
  /// As it was written, since 64-bit integers do not fit a double.
  case number(String)
  case string(String)
  case array([JSONValue])
  case object([Member])

  /// One name and its value.
  struct Member: Sendable, Hashable {
    let name: String
    var value: JSONValue
  }

  /// The value as an error shows it.
  var description: String {
    switch self {
    case .null: "null"
    case .bool(let flag): String(flag)
    case .number(let text): text
    case .string(let text): "\"\(text)\""
    case .array: "[...]"
    case .object: "{...}"
    }
  }
}

extension JSONValue {
  /// An object of these members, in this order.
  static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member(name: $0.key, value: $0.value) })
  }

  /// The compact text.
  var text: [UInt8] {
    var text: [UInt8] = []
    append(to: &text)
    return text
  }

  private func append(to text: inout [UInt8]) {
    switch self {
    case .null: text.append(contentsOf: "null".utf8)
    case .bool(let flag): text.append(contentsOf: (flag ? "true" : "false").utf8)
    case .number(let number): text.append(contentsOf: number.utf8)
    case .string(let string): Self.appendQuoted(string, to: &text)
    case .array(let elements):
      text.append(UInt8(ascii: "["))
      for (index, element) in elements.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        element.append(to: &text)
      }
      text.append(UInt8(ascii: "]"))
    case .object(let members):
      text.append(UInt8(ascii: "{"))
      for (index, member) in members.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        Self.appendQuoted(member.name, to: &text)
        text.append(UInt8(ascii: ":"))
        member.value.append(to: &text)
      }
      text.append(UInt8(ascii: "}"))
    }
  }

  private static func appendQuoted(_ string: String, to text: inout [UInt8]) {
    let hexadecimal = Array("0123456789abcdef".utf8)
    text.append(UInt8(ascii: "\""))
    for byte in string.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text.append(contentsOf: [0x5C, byte])
      case 0x0A: text.append(contentsOf: "\\n".utf8)
      case 0..<0x20, 0x7F:
        text.append(contentsOf: "\\u00".utf8)
        text.append(hexadecimal[Int(byte >> 4)])
        text.append(hexadecimal[Int(byte & 0xF)])
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
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
    let place = members.firstIndex { $0.name == name } ?? members.endIndex
    if place == members.endIndex { members.append(Member(name: name, value: .object([]))) }
    let done = members[place].value.set(value, at: path.dropFirst())
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
  subscript(path: ArraySlice<String>) -> JSONValue? {
    guard let name = path.first else { return self }
    guard case .object(let members) = self else { return nil }
    return members.first { $0.name == name }?.value[path.dropFirst()]
  }
}
