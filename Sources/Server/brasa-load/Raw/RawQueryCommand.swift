import ArgumentParser

/// The command `brasa-load raw-query`.
struct RawQueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "raw-query",
    abstract: "List random users' products from RocksDB alone, for comparison.",
    discussion: """
      Opens the store of a server's data directory to read, with the options of the server's engine; \
      the server may run. The first twenty entries of a random user in the composite index \
      (userId, name) are read, and the product that each one names: what the query `brasa-load query` \
      takes, without network, planning, decoding or cache of documents.
      """
  )

  @OptionGroup var options: RawReadOptions
  @OptionGroup var duration: DurationOptions
  @Option(help: "The composite index's number in the store.") var index: UInt32 = 1

  private static let limit = 20

  func run() async throws {
    let collection = try options.open()
    let users = max(1, options.documents / Product.ownedByEachUser)
    let latencies = try RawReads(options, duration).measure { random in
      let user = Product.user(random.below(users))
      try collection.products(of: user, index: index, limit: Self.limit)
    }
    options.report("raw-query", latencies, seconds: duration.seconds)
  }
}
