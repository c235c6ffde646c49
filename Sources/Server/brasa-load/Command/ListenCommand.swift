import ArgumentParser

/// The command `brasa-load listen`.
struct ListenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "listen",
    abstract: "Open listeners, commit, and measure until the last of them was told.",
    discussion: """
      Commits are made one at a time, each when all have seen the last, or so many a second with \
      --rate. --commit-rate compares what commits go through with no listeners, with listeners that \
      none concerns, and with one that each concerns. --resume restarts the server under the \
      listeners, which come back with their tokens. --idle only opens them, for their memory.

      With --node the listeners are on the node of --port, and the commits are made on the other one.

      With --program it starts a server of its own on an empty directory, which it needs for \
      --resume; of another server it can measure the memory when --pid names it.
      """
  )

  /// The query that the listeners listen to.
  enum Sharing: String, EnumerableFlag {
    case sameQuery, distinctUsers
  }

  /// The scenario of a run.
  enum Scenario: String, EnumerableFlag {
    case deliver, commitRate, resume, idle
  }

  @OptionGroup var address: AddressOptions
  @Option(help: "How many listeners to open.") var listeners = 1_000
  @Option(help: "How many connections carry them.") var connections = 50
  @Option(help: "How many streams carry them (default: one a connection).") var streams: Int?
  @Flag(help: "All listen to one user's products, or each to those of a user of its own.")
  var sharing = Sharing.sameQuery
  @Flag(help: "What to do with the listeners.") var scenario = Scenario.deliver
  @Option(help: "Commits a second; without it one follows the other.") var rate: Int?
  @Option(help: "Commits in flight with --commit-rate.") var inFlight = 64
  @Option(help: "How many seconds to commit.") var seconds = 10
  @Option(help: "How many seconds to commit before measuring.") var warmUp = 1
  @Option(
    help: """
      How many documents a query has; commits change them in turn. (default: 10 of the same query, \
      1 of a query each)
      """
  )
  var documents: Int?
  @Option(help: "The server to start, a brasa program.", completion: .file()) var program: String?
  @Option(help: "The running server's process, to measure its memory.") var pid: Int32?
  @Flag(help: "With --resume: kill -9 the server instead of stopping it.") var kill = false

  func validate() throws {
    try ServerOptions.check("--listeners", listeners, 1...1_000_000)
    try ServerOptions.check("--connections", connections, 1...min(listeners, 20_000))
    try ServerOptions.check("--streams", streams ?? connections, connections...listeners)
    try ServerOptions.check("--seconds", seconds, 1...3_600)
    try ServerOptions.check("--warm-up", warmUp, 0...600)
    try ServerOptions.check("--rate", rate ?? 1, 1...100_000)
    try ServerOptions.check("--in-flight", inFlight, 1...10_000)
    try ServerOptions.check("--documents", documents ?? 1, 1...10_000)
    if program != nil, !address.node.isEmpty {
      throw ValidationError("--program starts one server: it has no other node.")
    }
    if scenario == .resume, program == nil {
      throw ValidationError("--resume restarts the server: name it with --program.")
    }
  }

  func run() throws {
    raiseOpenFileLimit()
    let server =
      try program.map { try ServerUnderLoad(program: $0) }
      ?? ServerUnderLoad(port: address.port, processID: pid)
    do {
      try ListenRun(self, server: server).perform()
    } catch {
      try server.remove()
      throw error
    }
    try server.remove()
  }
}
