import Access
import FirestoreModel

extension RulesetStore {
  /// Puts rules in force for a database; the source is what is in `match /databases/{database}/documents`.
  package func deploy(statements: String, in database: DatabaseID) throws {
    let content = """
      rules_version = '2';
      service cloud.firestore {
        match /databases/{database}/documents {
          \(statements)
        }
      }
      """
    try deploy(
      [RulesetFile(name: "firestore.rules", content: content)],
      to: [.firestore(database)],
      project: database.project
    )
  }
}
