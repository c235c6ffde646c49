import ArgumentParser
import Foundation

/// The command `brasa-load intake`.
struct IntakeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "intake",
    abstract: "Send batches of 25 events to a server, each durable when it is answered.",
    discussion: """
      The server takes so many bytes a second from one address and lets through what comes in ten seconds at \
      once: runs of more than that show the bound.

      Example:
        brasa-load intake --connections 64 --seconds 8 --pid 4711
      """
  )

  @OptionGroup var server: FileServerOptions
  @OptionGroup var duration: DurationOptions
  @Option(help: "The project.") var project = "load-events"
  @Option(help: "How many users send them.") var users = 50_000
  @Option(help: "Events a second of all connections together; without it as many as go.") var rate:
    Int?

  func validate() throws {
    try ServerOptions.check("--users", users, 1...100_000_000)
    try ServerOptions.check("--rate", rate ?? 25, 25...10_000_000)
  }

  func run() async throws {
    // Batches of two runs have different numbers.
    let first = Int(Date().timeIntervalSince1970 * 1_000)
    let counter = Counter()
    var run = server.run { [project, users] _ in
      EventBatchOperation(project: project, users: users) { first + counter.take(1) }
    }
    if let rate {
      let batches = Double(rate) / Double(EventBatchOperation.batchEvents)
      run.interval = Int64(Double(server.connections) / batches * 1e9)
    }
    let length = FileRun.Length.seconds(warmUp: duration.warmUp, duration.seconds)
    let title = "intake of events, 25 a batch"
    FileReport(title: title, run: run, outcome: try await run.execute(length)).print()
  }
}
