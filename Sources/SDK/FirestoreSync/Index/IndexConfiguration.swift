import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel

/// A configuration of indexes as `firestore.indexes.json` has it.
///
///     {"indexes": [{"collectionGroup": "products", "queryScope": "COLLECTION",
///                   "fields": [{"fieldPath": "userId", "order": "ASCENDING"},
///                              {"fieldPath": "tags", "arrayConfig": "CONTAINS"}]}]}
///
/// Everything else of it is the server's.
package struct IndexConfiguration {
  /// The indexes in the order of the configuration.
  package let definitions: [FieldIndex.Definition]

  /// Reads a configuration; throws for one with an index that cannot be.
  package init(_ json: String) throws(ServiceError) {
    let text = try JSONValue(parsing: json)
    var definitions: [FieldIndex.Definition] = []
    for index in text["indexes"]?.elements ?? [] {
      definitions.append(try Self.definition(index))
    }
    self.definitions = definitions
  }

  private static func definition(
    _ index: JSONValue
  ) throws(ServiceError) -> FieldIndex.Definition {
    guard let collection = index["collectionGroup"]?.string ?? index["collectionId"]?.string else {
      throw .invalidArgument("Invalid index configuration: an index has no collectionGroup.")
    }
    var fields: [FieldIndex.Field] = []
    for field in index["fields"]?.elements ?? [] {
      guard let path = field["fieldPath"]?.string else {
        throw .invalidArgument("Invalid index configuration: a field has no fieldPath.")
      }
      let parsed = try FieldPath(parsing: path)
      if parsed.isDocumentName { continue }
      fields.append(FieldIndex.Field(parsed, try kind(field)))
    }
    guard let definition = FieldIndex.Definition(Text(collection), fields) else {
      throw .invalidArgument(
        "Invalid index configuration: an index of \(collection) has no fields, one twice or several arrays."
      )
    }
    return definition
  }

  private static func kind(_ field: JSONValue) throws(ServiceError) -> FieldIndex.Kind {
    switch (field["order"]?.string, field["arrayConfig"]?.string) {
    case ("DESCENDING"?, nil): return .descending
    case ("ASCENDING"?, nil): return .ascending
    case (nil, "CONTAINS"?): return .contains
    default:
      throw .invalidArgument(
        "Invalid index configuration: a field has neither order nor arrayConfig."
      )
    }
  }
}
