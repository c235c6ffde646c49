import BaseText
import KeyValueStore

// Which projects have accounts.

extension Accounts {
  /// Returns true if anybody set the project up, registered an app of it or made an account in it;
  /// asking creates nothing.
  package func knows(_ project: Text) throws -> Bool {
    if projects.withLock({ $0[.project(project)] != nil }) { return true }
    return try engine.read { snapshot in
      if try snapshot.get(AccountKey.prefix(.scope, .project(project))) != nil { return true }
      return try [AccountKey.Kind.user, .app].contains { kind in
        let range = KeyRange(prefix: AccountKey.prefix(kind, .project(project)))
        return try snapshot.cursor(over: range, reversed: false).next()
      }
    }
  }

  /// Projects with accounts, apps or a configuration, `limit` at most; two steps of a cursor for each.
  package func knownProjects(limit: Int) throws -> Set<Text> {
    try engine.read { snapshot in
      var found: Set<Text> = []
      for kind in [AccountKey.Kind.scope, .user, .app] {
        var range = KeyRange(prefix: AccountKey.prefix(kind))
        while found.count < limit {
          let cursor = try snapshot.cursor(over: range, reversed: false)
          // The scopes of projects come first.
          guard try cursor.next(),
            case .project(let project)? = AccountKey.scope(ofKey: cursor.key)
          else { break }
          found.insert(project)
          let ofProject = KeyRange(prefix: AccountKey.prefix(kind, .project(project)))
          guard let next = ofProject.upper else { break }
          range.lower = next
        }
      }
      return found
    }
  }
}
