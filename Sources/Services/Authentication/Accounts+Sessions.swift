import KeyValueStore

extension Accounts {
  /// Ends all that anybody was given to get in: sessions, tokens of all kinds, codes, links and invitations.
  ///
  /// For a store that was restored to an earlier time, in which access that ended later is active
  /// again. Blocks.
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
}
