// Reading and building documents by hand.

extension JSONText {
  /// The member of that name, the first where it comes twice; nil where there is none.
  package subscript(key: String) -> JSONText? {
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
  package var elements: [JSONText]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  /// The members, of an object.
  package var members: [Member]? {
    if case .object(let members) = self { members } else { nil }
  }

  /// Whether no object in the document names a member twice.
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
  package static func integer(_ number: some BinaryInteger) -> JSONText { .number("\(number)") }

  /// The document as a value: whole numbers are integers, others doubles.
  package var value: Value {
    switch self {
    case .null: .null
    case .boolean(let flag): .boolean(flag)
    case .number(let digits): Int64(digits).map(Value.integer) ?? .double(Double(digits) ?? .nan)
    case .string(let text): .string(Text(text))
    case .array(let elements): .array(elements.map(\.value))
    case .object(let members):
      .map(MapValue(members.map { MapValue.Entry(key: Text($0.key), value: $0.value.value) }))
    }
  }
}
