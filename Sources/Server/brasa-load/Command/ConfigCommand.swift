import ArgumentParser

/// The command `brasa-load config`.
struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Load Remote Config: fetches of clients, news of publishes.",
    discussion: "Publishes templates in a project of a server in development mode.",
    subcommands: [ConfigFetchCommand.self, ConfigStreamsCommand.self]
  )
}

/// The template that is published, and where.
struct ConfigTemplateOptions: ParsableArguments {
  @Option(help: "The project, whose template is replaced.") var project = "load-config"
  @Option(help: "How many parameters the template has.") var parameters = 200
  @Option(help: "How many conditions the template has.") var conditions = 50

  func validate() throws {
    try ServerOptions.check("--parameters", parameters, 1...3_000)
    try ServerOptions.check("--conditions", conditions, 1...500)
  }

  /// The template; each revision is another one.
  func template(revision: Int = 0) -> String {
    ConfigTarget.template(parameters: parameters, conditions: conditions, revision: revision)
  }

  /// The project on a server.
  func target(host: String, port: Int) -> ConfigTarget {
    let server = FileTarget(host: host, port: port, bucket: "", dialect: .json, token: "owner")
    return ConfigTarget(server: server, project: project)
  }

  /// Publishes the template; returns its version.
  func publish(to target: ConfigTarget) throws -> Int {
    let answer = try FileRun.call(target.publish(template()), to: target.server)
    guard answer.status == 200 else {
      throw LoadError.refused(String(decoding: answer.body.prefix(300), as: UTF8.self))
    }
    return try ConfigStreamRun.version(in: answer.body)
  }
}

/// The command `brasa-load config fetch`.
struct ConfigFetchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fetch",
    abstract: "Fetch values as clients that nobody has seen before, each evaluated.",
    discussion: """
      Example:
        brasa-load config fetch --parameters 200 --conditions 50 --connections 64 --pid 4711
      """
  )

  @OptionGroup var server: FileServerOptions
  @OptionGroup var template: ConfigTemplateOptions
  @OptionGroup var duration: DurationOptions

  func run() async throws {
    let target = template.target(host: server.host, port: server.port)
    _ = try template.publish(to: target)
    let run = server.run { _ in ConfigFetchOperation(target: target) }
    let length = FileRun.Length.seconds(warmUp: duration.warmUp, duration.seconds)
    let title =
      "config fetch of \(template.parameters) parameters, \(template.conditions) conditions"
    FileReport(title: title, run: run, outcome: try await run.execute(length)).print()
  }
}

/// The command `brasa-load config streams`.
struct ConfigStreamsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "streams",
    abstract: "Publish again and again, each time when all streams have heard of the last one."
  )

  @Option(help: "The server's address.") var host = "127.0.0.1"
  @Option(help: "The server's port.") var port = 8080
  @Option(help: "How many streams, a connection each; a server takes 10,000 of one address.")
  var streams = 10_000
  @Option(help: "How many publishes.") var publishes = 10
  @OptionGroup var template: ConfigTemplateOptions

  func validate() throws {
    try ServerOptions.check("--port", port, 1...65_535)
    try ServerOptions.check("--streams", streams, 1...10_000)
    try ServerOptions.check("--publishes", publishes, 1...300)
  }

  func run() throws {
    raiseOpenFileLimit()
    let target = template.target(host: host, port: port)
    let run = try ConfigStreamRun(target)
    try run.open(streams, after: try template.publish(to: target))
    for revision in 1...publishes { try run.publish(template.template(revision: revision)) }
    let ledger = run.deliveries
    print("config streams: \(streams), \(publishes) publishes")
    print("publish, answered: \(Report.quantiles(ledger.answers))")
    print("publish to last stream: \(Report.quantiles(ledger.lastDeliveries))")
    print("deliveries: \(ledger.deliveredCount), \(Report.short(ledger.deliveryRate))/s")
  }
}
