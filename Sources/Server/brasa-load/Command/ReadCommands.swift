import ArgumentParser

/// The command `brasa-load get`.
struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Get products of a filled collection by name."
  )

  @OptionGroup var server: ServerOptions
  @OptionGroup var duration: DurationOptions
  @Option(help: "How many products the collection was filled with.") var documents = 100_000
  @Flag(help: "Always get the same product.") var oneName = false
  @Option(help: "Gets a second of all connections together; without it each follows an answer.")
  var rate: Int?

  func validate() throws {
    try ServerOptions.check("--documents", documents, 1...100_000_000)
    try ServerOptions.check("--rate", rate ?? 1, 1...1_000_000)
  }

  func run() async throws {
    let target = server.target
    let (documents, oneName) = (documents, oneName)
    var run = LoadRun(server) { _ in
      SingleCallOperation { random in
        let number = oneName ? 0 : random.below(documents)
        let request = RequestMessages.get(target.name(Product.id(number)))
        return OutgoingCall(method: .getDocument, message: request)
      }
    }
    run.rate = rate
    let measurement = try await run.execute(warmUp: duration.warmUp, seconds: duration.seconds)
    Report(
      title: oneName ? "get, one name" : "get, random names",
      options: server,
      seconds: Double(duration.seconds),
      measurement: measurement
    )
    .print()
  }
}

/// The command `brasa-load query`.
struct QueryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "query",
    abstract: "List a random user's products by name, the first twenty.",
    discussion: "The index (userId, name) should be there: see Benchmarks/firestore.indexes.json."
  )

  @OptionGroup var server: ServerOptions
  @OptionGroup var duration: DurationOptions
  @Option(help: "How many products the collection was filled with.") var documents = 100_000

  func validate() throws { try ServerOptions.check("--documents", documents, 1...100_000_000) }

  func run() async throws {
    let target = server.target
    let users = max(1, documents / Product.ownedByEachUser)
    let measurement = try await LoadRun(server) { _ in
      SingleCallOperation(documents: Self.documents) { random in
        let request = RequestMessages.products(of: target.user(random.below(users)), in: target)
        return OutgoingCall(method: .runQuery, message: request)
      }
    }
    .execute(warmUp: duration.warmUp, seconds: duration.seconds)
    Report(
      title: "query, 20 of \(documents)",
      options: server,
      seconds: Double(duration.seconds),
      measurement: measurement
    )
    .print()
  }

  /// Returns the number of documents in a response; field 1 of a message is a document.
  private static func documents(in answer: Answer) -> Int {
    answer.messages.count { ResponseMessages.holds(1, in: $0) }
  }
}
