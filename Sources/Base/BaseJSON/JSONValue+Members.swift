import BaseText

// Reading and building documents by hand.

extension JSONValue {
  /// The member of that name, the first where it comes twice; nil where there is none.
  package subscript(key: String) -> JSONValue? {
    guard case .object(let members) = self else { return nil }
    return members.first { Text($0.key) == Text(key) }?.value
  }

  /// The string, of a string.
  package var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  /// The flag, of a boolean.
  package var boolean: Bool? {
    if case .boolean(let flag) = self { flag } else { nil }
  }

  /// The number, where it is one without a fraction that 64 bits hold.
  package var integer: Int64? {
    guard case .number(let digits) = self else { return nil }
    return Int64(digits) ?? Double(digits).flatMap { Int64(exactly: $0) }
  }

  /// The elements, of an array.
  package var elements: [JSONValue]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members, of an object.
  package var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// True if no object in the document names a member twice.
  package var hasUniqueMembers: Bool {
    switch self {
    case .null, .boolean, .number, .string: return true
    case .array(let elements): return elements.allSatisfy(\.hasUniqueMembers)
    case .object(let members):
      var seen: Set<Text> = []
      return members.allSatisfy { seen.insert(Text($0.key)).inserted && $0.value.hasUniqueMembers }
    }
  }

  /// A whole number.
  package static func integer(_ number: some BinaryInteger) -> JSONValue { .number("\(number)") }

  /// An object of these members, in this order.
  package static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) })
  }

  /// Sets a value inside an object, making the objects on the way.
  ///
  /// - Returns: false, nothing set, where something other than an object is on the way.
  package mutating func set(_ value: JSONValue, at path: ArraySlice<String>) -> Bool {
    guard let name = path.first else {
      self = value
      return true
    }
    guard case .object(var members) = self else { return false }
    self = .null
    let index = members.firstIndex { $0.key == name } ?? members.endIndex
    if index == members.endIndex { members.append(Member(name, .object([]))) }
    let done = members[index].value.set(value, at: path.dropFirst())
    self = .object(members)
    return done
  }

  /// Appends to an array inside an object, creating the members on the way.
  package mutating func append(_ value: JSONValue, at path: ArraySlice<String>) -> Bool {
    var elements: [JSONValue] = []
    if case .array(let earlier)? = self[path] { elements = earlier }
    return set(.array(elements + [value]), at: path)
  }

  /// The value at a path of names; nil where there is none.
  package subscript(path: ArraySlice<String>) -> JSONValue? {
    guard let name = path.first else { return self }
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == name }?.value[path.dropFirst()]
  }
}
