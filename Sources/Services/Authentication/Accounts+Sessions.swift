import KeyValueStore

extension Accounts {
  /// Ends all that anybody was given to get in: sessions, tokens of all kinds, codes, links and invitations.
  ///
  /// For a store that was brought back to an earlier instant, where what was ended later is there again. Blocks.
  package func endAllSessions() throws {
    try rotateSigningKeys(immediately: true)
    for kind in [AccountKey.Kind.refreshToken, .ticket, .ticketEnd, .listedTicket] {
      while try deleteSome(of: kind) {}
    }
  }

  /// Deletes up to a thousand records of a kind; false where there were none.
  private func deleteSome(of kind: AccountKey.Kind) throws -> Bool {
    try engine.write { group in
      let cursor = try group.cursor(
        over: KeyRange(prefix: AccountKey.prefix(kind)),
        reversed: false
      )
      var keys: [[UInt8]] = []
      while keys.count < 1_000, try cursor.next() { keys.append(Array(cursor.key)) }
      for key in keys { try group.delete(key) }
      return !keys.isEmpty
    }
  }

  /// The keys of what lets somebody in and can be removed: users, and service accounts' keys.
  package static let accessKeys = [AccountKey.Kind.user, .serviceAccount].map {
    KeyRange(prefix: AccountKey.prefix($0))
  }

  /// Removes users and service accounts' keys again, by keys of the store in `accessKeys`; those that are not there
  /// are passed over.
  ///
  /// For a store that was brought back to an instant before they were removed. Blocks.
  ///
  /// - Returns: A line for each that was there.
  package func removeAgain(_ keys: [[UInt8]]) throws -> [String] {
    var removed: [String] = []
    for key in keys {
      guard case .found = try engine.get(key, cachedOnly: false) else { continue }
      if key.starts(with: AccountKey.prefix(.serviceAccount)) {
        try engine.write { try $0.delete(key) }
        removed.append("a service account's key")
        continue
      }
      let user = key.withUnsafeBytes {
        (AccountKey.scope(ofKey: $0), AccountKey.uid(ofUserKey: $0))
      }
      guard let scope = user.0, let uid = user.1 else { continue }
      try self[scope].delete(uid)
      removed.append("user \(uid) of \(scope)")
    }
    return removed
  }
}
