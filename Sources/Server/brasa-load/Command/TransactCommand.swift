import ArgumentParser

/// The command `brasa-load transact`.
struct TransactCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transact",
    abstract: "Increment one counter in transactions of many clients.",
    discussion: """
      Each connection is a client. Afterwards the counter must show exactly the commits that were \
      acknowledged, and every client must have made some.
      """
  )

  @OptionGroup var server: ServerOptions
  @OptionGroup var duration: DurationOptions

  func run() async throws {
    let target = server.target
    let before = try await Self.counter(target)
    let measurement = try await LoadRun(server) { _ in
      TransactionOperation(target: target, document: Self.document)
    }
    .execute(warmUp: duration.warmUp, seconds: duration.seconds)
    let added = try await Self.counter(target) - before
    let least = measurement.finishedBySlot.min() ?? 0
    let most = measurement.finishedBySlot.max() ?? 0
    Report(
      title: "transact",
      options: server,
      seconds: Double(duration.seconds),
      measurement: measurement
    )
    .print(followedBy: [
      "conflicts: \(measurement.retries) attempts repeated",
      "fairness: a client committed \(least) times at least, \(most) at most",
      "durable: \(measurement.acknowledgedDocuments) acknowledged, the counter grew by \(added)",
    ])
  }

  private static let document = "hot-counter"

  private static func counter(_ target: LoadTarget) async throws -> Int64 {
    let request = RequestMessages.get(target.name(document))
    let call = OutgoingCall(method: .getDocument, message: request)
    let answer = try await LoadRun.call(call, to: target)
    guard answer.status == 0, let message = answer.messages.first else { return 0 }
    return ResponseMessages.integer([2, 2], in: message) ?? 0
  }
}
