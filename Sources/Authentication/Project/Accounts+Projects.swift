import FirestoreModel

extension Accounts {
  /// Whether anybody set the project up or made an account in it; asking makes nothing.
  package func knows(_ project: Text) throws -> Bool {
    if projects.withLock({ $0[project] != nil }) { return true }
    return try engine.read { try $0.get(AccountKey.prefix(.project, project)) != nil }
  }
}
