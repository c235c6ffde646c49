import BaseText
import ObjectStorage

/// The parameters of a request's query, decoded; of several with one name the last counts.
package struct StorageQuery: Sendable {
  /// A few, so they are looked through.
  private let values: [(name: String, value: String)]

  /// Reads a raw query; throws for malformed escapes.
  package init(_ query: String?) throws(StorageError) {
    var values: [(name: String, value: String)] = []
    for part in (query ?? "").utf8.split(separator: UInt8(ascii: "&")) {
      let name = part.prefix { $0 != UInt8(ascii: "=") }
      let value = part[name.endIndex...].dropFirst()
      guard let name = PercentEncoding.decode(Substring(name), plusIsSpace: true),
        let value = PercentEncoding.decode(Substring(value), plusIsSpace: true)
      else { throw StorageError(.invalid, "The URL's query has a malformed escape.") }
      values.append((name, value))
    }
    self.values = values
  }

  /// A parameter's value; nil where it is not there.
  package subscript(name: String) -> String? { values.last { $0.name == name }?.value }

  /// A parameter that is a whole number of 64 bits; throws for anything else.
  package func integer(_ name: String) throws(StorageError) -> Int64? {
    guard let text = self[name] else { return nil }
    guard let number = Int64(text), number >= 0 else {
      throw StorageError(.invalid, "Invalid value for \(name): '\(text.prefix(40))'")
    }
    return number
  }

  /// A parameter that is true or false; throws for anything else.
  package func flag(_ name: String) throws(StorageError) -> Bool {
    switch self[name] {
    case nil, "false", "False": return false
    case "true", "True", "": return true
    default: throw StorageError(.invalid, "Invalid value for \(name).")
    }
  }

  /// The preconditions on an object; a prefix such as `Source` makes it those of a copy's source.
  package func preconditions(_ kind: String = "") throws(StorageError) -> ObjectPreconditions {
    var conditions = ObjectPreconditions()
    conditions.generation = try integer("if\(kind)GenerationMatch")
    conditions.notGeneration = try integer("if\(kind)GenerationNotMatch")
    conditions.metageneration = try integer("if\(kind)MetagenerationMatch")
    conditions.notMetageneration = try integer("if\(kind)MetagenerationNotMatch")
    return conditions
  }
}
