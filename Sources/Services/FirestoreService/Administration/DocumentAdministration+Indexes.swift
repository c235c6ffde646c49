import Access
import BaseJSON
import BaseStatus
import DocumentStore
import FirestoreModel

extension DocumentAdministration {
  /// The index definitions and field overrides of a database, each as a `firestore.indexes.json` of its own on one line.
  ///
  /// Unique indexes that failed are left out: where they came first, documents with equal values could not follow.
  package func indexDefinitions(of id: DatabaseID) throws -> [String] {
    let database = try permit.database(id)
    let listed = database.indexes.current.listed
    let failed = Set(listed.filter { $0.state == .failed }.map(\.definition))
    let file = database.indexDefinitions
    let parts =
      file.indexes.filter { !failed.contains($0) }.map { IndexDefinitionsFile(indexes: [$0]) }
      + file.overrides.map { IndexDefinitionsFile(overrides: [$0]) }
    return try parts.map { try JSONValue(parsing: $0.text).compact }
  }

  /// Declares the definitions of such lines; those that the database has stay as they are, and so do others.
  ///
  /// A project's default database is made where there is none. New indexes are built in the background.
  ///
  /// - Returns: The number of definitions that were declared, the number that existed already, and
  ///   the reasons for refusing the others.
  package func declareIndexes(
    _ lines: [String],
    in id: DatabaseID
  ) throws -> (declared: Int, known: Int, refusals: [String]) {
    guard !lines.isEmpty else { return (0, 0, []) }
    let database = try permit.databaseOnFirstUse(id)
    let known = database.indexDefinitions
    var result = (declared: 0, known: 0, refusals: [String]())
    for line in lines {
      do {
        let file = try IndexDefinitionsFile(parsing: line)
        let isKnown =
          file.indexes.allSatisfy(known.indexes.contains)
          && file.overrides.allSatisfy(known.overrides.contains)
        if isKnown {
          result.known += 1
        } else {
          try database.apply(file)
          result.declared += 1
        }
      } catch let error as ServiceError where error.isOfOneItem {
        result.refusals.append("\(line.prefix(200)): \(error.message)")
      }
    }
    return result
  }
}

extension ServiceError {
  /// True if the error is about one item of an import, so that the others can be stored: it is not valid, or has the values
  /// of another document in a unique index.
  var isOfOneItem: Bool { code == .invalidArgument || code == .alreadyExists }
}
