import BaseJSON

/// The database that documents from elsewhere are made for.
package struct ForeignDatabase: Sendable {
  /// The beginning of its documents' names.
  let root: String

  /// A database of a project.
  package init(project: String, database: String) {
    root = "projects/\(project)/databases/\(database)/documents"
  }

  /// A document as the REST API spells it, on one line.
  package func document(
    _ collection: String,
    _ id: String,
    _ fields: [JSONValue.Member]
  ) -> [UInt8] {
    JSONValue.object([
      "name": .string("\(root)/\(collection)/\(id)"), "fields": .object(fields),
    ]).compactBytes
  }

  /// A reference to a document.
  func reference(_ collection: String, _ id: String) -> JSONValue {
    FieldValue.value("referenceValue", .string("\(root)/\(collection)/\(id)"))
  }
}

/// Notes about changed values, with their numbers: the first 200 kinds are distinct.
package struct ChangeNotes: Sendable {
  private var counts: [String: Int] = [:]
  private static let mostKinds = 200

  /// No notes.
  package init() {}

  /// Notes one change.
  package mutating func add(_ note: String) {
    let isKnown = counts[note] != nil || counts.count < Self.mostKinds
    counts[isKnown ? note : "other fields: values were changed", default: 0] += 1
  }

  /// The changed values in all.
  package var count: Int { counts.values.reduce(0, +) }

  /// A line a kind of change.
  package var lines: [String] {
    counts.sorted { $0.key < $1.key }.map { note, count in
      count == 1 ? note : "\(note) (\(count) times)"
    }
  }
}
