import BaseText
import DocumentCodec
import FirestoreModel

/// The console's pages that create an index, with the index encoded in the address.
///
/// The parameter is base64url without padding of a `google.firestore.admin.v1.Index`: name 1,
/// query scope 2, fields 3 {path 1, order 2 (1 ascending, 2 descending) or array config 3 (1)}.
package struct IndexLink {
  /// The origin of Google's console.
  package static let firebaseConsole = "https://console.firebase.google.com"

  /// The origin of the console that the links lead to.
  let console: String

  /// The page that creates a composite index, or shows the one under its id.
  func composite(
    _ database: DatabaseID,
    _ definition: IndexDefinition,
    id: String
  ) -> String {
    let name = "\(group(database, definition.collectionID))/indexes/\(id)"
    let message = index(name: name, scope: definition.scope, fields: definition.listedFields)
    return "\(page(database))?create_composite=\(Base64.url(message))"
  }

  /// The page that turns a single field's index on.
  func exemption(
    _ database: DatabaseID,
    _ collectionID: Text,
    _ field: FieldPath,
    _ single: SingleFieldIndex
  ) -> String {
    let name = "\(group(database, collectionID))/fields/\(field.canonicalString)"
    let fields = [IndexedField(field, single.mode)]
    let message = index(name: name, scope: single.scope, fields: fields)
    return "\(page(database))?create_exemption=\(Base64.url(message))"
  }

  private func page(_ database: DatabaseID) -> String {
    let project = "\(console)/v1/r/project/\(database.project)/firestore"
    if database.database == "(default)" { return "\(project)/indexes" }
    return "\(project)/databases/\(database.database)/indexes"
  }

  private func group(_ database: DatabaseID, _ collectionID: Text) -> String {
    "\(database.path)/collectionGroups/\(collectionID)"
  }

  private func index(name: String, scope: IndexScope, fields: [IndexedField]) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.string(1, name)
    writer.int64(2, Int64(scope.rawValue))
    for field in fields {
      writer.message(3) { part in
        part.string(1, field.path.canonicalString)
        switch field.mode {
        case .ascending, .descending: part.int64(2, Int64(field.mode.rawValue))
        case .contains: part.int64(3, 1)
        }
      }
    }
    return writer.bytes
  }
}
