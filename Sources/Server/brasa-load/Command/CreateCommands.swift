import ArgumentParser

/// The command `brasa-load create`.
struct CreateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Create products with random ids, one a call."
  )

  @OptionGroup var server: ServerOptions
  @OptionGroup var duration: DurationOptions

  func run() async throws {
    let target = server.target
    let check = try await DurabilityCheck(target)
    let measurement = try await LoadRun(server) { _ in
      SingleCallOperation { random in
        let id = random.documentID()
        let product = Product(random: &random, owner: target.owner)
        let request = RequestMessages.create(product, id: id, in: target)
        return OutgoingCall(method: .createDocument, message: request)
      }
    }
    .execute(warmUp: duration.warmUp, seconds: duration.seconds)
    Report(
      title: "create",
      options: server,
      seconds: Double(duration.seconds),
      measurement: measurement
    )
    .print(followedBy: try await check.lines(acknowledged: measurement.acknowledgedDocuments))
  }
}

/// The command `brasa-load batch-create`.
struct BatchCreateCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "batch-create",
    abstract: "Create products with random ids, many a commit."
  )

  @OptionGroup var server: ServerOptions
  @OptionGroup var duration: DurationOptions
  @Option(help: "How many products one commit creates.") var batch = 100

  func validate() throws { try ServerOptions.check("--batch", batch, 1...5_000) }

  func run() async throws {
    let target = server.target
    let size = batch
    let check = try await DurabilityCheck(target)
    let measurement = try await LoadRun(server) { _ in
      BatchOperation(size: size) { random in
        (0..<size).map { _ in
          (id: random.documentID(), product: Product(random: &random, owner: target.owner))
        }
      } request: {
        RequestMessages.commit($0, areNew: true, in: target)
      }
    }
    .execute(warmUp: duration.warmUp, seconds: duration.seconds)
    Report(
      title: "batch-create of \(size)",
      options: server,
      seconds: Double(duration.seconds),
      measurement: measurement
    )
    .print(followedBy: try await check.lines(acknowledged: measurement.acknowledgedDocuments))
  }
}
