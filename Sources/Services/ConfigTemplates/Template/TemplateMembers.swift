import BaseJSON
import BaseStatus
import BaseText

/// The members of an object in a template's JSON, with the path that errors name.
struct TemplateMembers {
  let path: String
  private let members: [String: JSONValue]

  /// The members of an object; refuses others than the known ones, and one that is there twice.
  init(_ json: JSONValue, at path: String, known: Set<String>) throws(ServiceError) {
    self.path = path
    var members: [String: JSONValue] = [:]
    for (key, value) in try Self.entries(of: json, at: path) {
      guard known.contains(key) else {
        throw .invalidArgument(
          "Invalid JSON payload received. Unknown name \"\(key.prefix(100))\" at '\(path)': "
            + "Cannot find field."
        )
      }
      members[key] = value
    }
    self.members = members
  }

  /// The members of an object whose names are anything, in their order.
  static func entries(
    of json: JSONValue,
    at path: String
  ) throws(ServiceError) -> [(key: String, value: JSONValue)] {
    guard let members = json.members else {
      throw .invalidArgument("Invalid value at '\(path)': an object is expected.")
    }
    var seen: Set<Text> = []
    for member in members where !seen.insert(Text(member.key)).inserted {
      throw .validation("DUPLICATE_KEY", "\(path) has \"\(member.key.prefix(100))\" twice.")
    }
    return members.map { ($0.key, $0.value) }
  }

  subscript(name: String) -> JSONValue? {
    if case .null? = members[name] { nil } else { members[name] }
  }

  /// A text; nil where there is none.
  func text(_ name: String, atMost limit: Int = .max) throws(ServiceError) -> String? {
    guard let value = self[name] else { return nil }
    guard let text = value.string else { throw invalid(name, "a string is expected") }
    guard text.unicodeScalars.count <= limit else {
      throw invalid(name, "it has more than \(limit) characters")
    }
    return text
  }

  /// A whole number, as number or text; nil where there is none.
  func integer(_ name: String) throws(ServiceError) -> Int64? {
    guard let value = self[name] else { return nil }
    guard let number = value.integer ?? value.string.flatMap(Int64.init) else {
      throw invalid(name, "an integer is expected")
    }
    return number
  }

  /// A number; nil where there is none.
  func number(_ name: String) throws(ServiceError) -> Double? {
    guard let value = self[name] else { return nil }
    guard case .number(let digits) = value, let number = Double(digits) else {
      throw invalid(name, "a number is expected")
    }
    return number
  }

  /// The elements of a list; none where there is no list.
  func list(_ name: String) throws(ServiceError) -> [JSONValue] {
    guard let value = self[name] else { return [] }
    guard let elements = value.elements else { throw invalid(name, "a list is expected") }
    return elements
  }

  /// The members of an object with free names; none where there is no object.
  func map(_ name: String) throws(ServiceError) -> [(key: String, value: JSONValue)] {
    guard let value = self[name] else { return [] }
    return try Self.entries(of: value, at: path.isEmpty ? name : "\(path).\(name)")
  }

  func invalid(_ name: String, _ problem: String) -> ServiceError {
    .invalidArgument("Invalid value at '\(path.isEmpty ? name : "\(path).\(name)")': \(problem).")
  }
}

extension ServiceError {
  /// The API's error for a template that breaks a rule, with the rule's code.
  static func validation(_ code: String, _ text: String) -> ServiceError {
    .invalidArgument("[VALIDATION_ERROR]: [\(code)]: \(text)")
  }
}
