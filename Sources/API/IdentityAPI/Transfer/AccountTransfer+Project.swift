import Authentication

extension AccountTransfer {
  /// Users of one import that are stored together.
  private static let batchSize = 1_000

  /// Hands out every account of a scope, a page at a time; returns how many there were.
  package static func each(
    of accounts: ProjectAccounts,
    progress: (_ done: Int, _ total: Int) throws -> Void,
    _ body: (User) throws -> Void
  ) throws -> Int {
    let total = try accounts.count()
    var done = 0
    var token: String?
    repeat {
      let page = try accounts.list(pageToken: token)
      for user in page.users { try body(user) }
      done += page.users.count
      token = page.nextPageToken
      try progress(done, max(done, total))
    } while token != nil
    return done
  }

  /// Stores the accounts that `next` gives; returns how many there were, and why some were refused.
  package static func store(
    in accounts: ProjectAccounts,
    next: () throws -> ImportedUser?
  ) throws -> (read: Int, refusals: [String]) {
    // The first import makes the project known.
    _ = try accounts.configuration()
    var batch: [ImportedUser] = []
    var read = 0
    var refusals: [String] = []
    func storeBatch() throws {
      guard !batch.isEmpty else { return }
      refusals += try accounts.importUsers(batch).map { "\($0.uid): \($0.message)" }
      batch = []
    }
    while let user = try next() {
      batch.append(user)
      read += 1
      if batch.count == batchSize { try storeBatch() }
    }
    try storeBatch()
    return (read, refusals)
  }
}
