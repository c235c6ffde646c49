import FirestoreService
import ServiceModule

extension StorageTransfer {
  /// The index definitions and field overrides of a database: a line each, in the form of `firestore.indexes.json`.
  ///
  /// An import adds the definitions that the database lacks; new indexes are built in the
  /// background.
  static let indexes = StorageTransfer("indexes") { scope, _, item in
    let lines = try DocumentAdministration(scope.permit).indexDefinitions(of: scope.database)
    for line in lines { try item(StorageItem(file: "definitions", bytes: Array(line.utf8))) }
    return count(lines.count)
  } import: { scope, next, tell in
    var lines: [String] = []
    while let item = try next() { lines.append(String(decoding: item, as: UTF8.self)) }
    let result = try DocumentAdministration(scope.permit)
      .declareIndexes(lines, in: scope.database)
    for refusal in result.refusals { try tell(.difference(refusal)) }
    return count(result.declared, skipped: result.known)
  }

  private static func count(_ number: Int, skipped: Int = 0) -> StorageCount {
    StorageCount(number, "index definition", skipped: skipped)
  }
}
