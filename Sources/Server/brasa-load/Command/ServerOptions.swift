import ArgumentParser

/// The server and the database to load.
struct AddressOptions: ParsableArguments {
  @Option(help: "The server's address.")
  var host = "127.0.0.1"

  @Option(help: "The server's port.")
  var port = 8080

  @Option(help: "Another node of the same store to load as well, HOST:PORT; may be repeated.")
  var node: [NodeAddress] = []

  @Option(help: "The project's id.")
  var project = "load"

  @Option(help: "The database's id.")
  var database = "(default)"

  @Option(help: "The collection of products.")
  var collection = "products"

  @Option(help: "A bearer token to send with every call.")
  var token: String?

  @Option(help: "Whose all products are, for rules that let users reach their own: a uid.")
  var owner: String?

  /// The names that requests use, of a server at this port or another.
  func target(port other: Int? = nil) -> LoadTarget {
    target(NodeAddress(host: host, port: other ?? port))
  }

  /// The nodes to load, the one of `target` first: connections are spread over them in turn.
  var targets: [LoadTarget] { [target()] + node.map(target) }

  private func target(_ node: NodeAddress) -> LoadTarget {
    LoadTarget(
      host: node.host,
      port: node.port,
      database: "projects/\(project)/databases/\(database)",
      collection: collection,
      token: token,
      owner: owner
    )
  }

  func validate() throws { try ServerOptions.check("--port", port, 1...65_535) }
}

/// The address on which a node listens, as `HOST:PORT`.
struct NodeAddress: ExpressibleByArgument {
  let host: String
  let port: Int

  init(host: String, port: Int) { (self.host, self.port) = (host, port) }

  init?(argument: String) {
    guard let colon = argument.lastIndex(of: ":"), colon != argument.startIndex,
      let port = Int(argument[argument.index(after: colon)...]), (1...65_535).contains(port)
    else { return nil }
    self.init(host: String(argument[..<colon]), port: port)
  }
}

/// The server and the database to load, and the number of connections.
struct ServerOptions: ParsableArguments {
  @OptionGroup var address: AddressOptions

  @Option(help: "How many connections to open.")
  var connections = 16

  @Option(help: "How many calls each connection keeps in flight.")
  var inFlight = 16

  @Option(help: "How many threads drive the connections.")
  var threads = 1

  @Option(help: "What all random choices start from; the report names it. (default: a new one)")
  var seed: UInt64 = .random(in: 0...UInt64(UInt32.max))

  /// The names that requests use.
  var target: LoadTarget { address.target() }

  func validate() throws {
    try Self.check("--connections", connections, 1...1_000)
    try Self.check("--in-flight", inFlight, 1...1_000)
    try Self.check("--threads", threads, 1...64)
  }

  /// Refuses a value outside its range, by name.
  static func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws {
    guard range.contains(value) else {
      throw ValidationError(
        "\(name) must be between \(range.lowerBound) and \(range.upperBound)."
      )
    }
  }
}

/// The duration of the measurement.
struct DurationOptions: ParsableArguments {
  @Option(help: "How many seconds to measure.")
  var seconds = 10

  @Option(help: "How many seconds to run before measuring.")
  var warmUp = 1

  func validate() throws {
    try ServerOptions.check("--seconds", seconds, 1...3_600)
    try ServerOptions.check("--warm-up", warmUp, 0...600)
  }
}
