import ArgumentParser

/// The command `brasa config`.
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Read and publish the parameters of apps (Remote Config).",
    discussion: """
      Examples:
        brasa config get --project shop > template.json
        brasa config publish template.json --project shop
        brasa config evaluate --project shop --country BR --app 1:42:ios:ab --installation cFid…
      """,
    subcommands: [
      ConfigGetCommand.self, ConfigPublishCommand.self, ConfigVersionsCommand.self,
      ConfigRollbackCommand.self, ConfigEvaluateCommand.self, ConfigExperimentsCommand.self,
      ConfigResultsCommand.self,
    ]
  )
}

/// The template that a command is about.
struct ConfigTemplateOptions: ParsableArguments {
  @OptionGroup var project: RulesProjectOptions
  @Flag(
    name: .long,
    help: "The server template, which back ends evaluate, instead of the apps' template."
  )
  var server = false

  func request(_ request: ConfigRequest) throws -> AdministrationRequest {
    .config(project: try project.id(), isServer: server, request)
  }
}

/// `brasa config get`.
struct ConfigGetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Print a template as JSON; its etag goes to standard error.",
    discussion: """
      Example:
        brasa config get --project shop --version 12
      """
  )

  @Option(name: .customLong("version"), help: "The version (default: the newest).") var number:
    Int64?
  @OptionGroup var template: ConfigTemplateOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    try printReplies(try template.request(.get(version: number)), of: data, asFile: true)
  }
}

/// `brasa config publish`.
struct ConfigPublishCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "publish",
    abstract: "Publish a template from a file.",
    discussion: """
      Listening apps are notified immediately; a running server needs no restart. A template that breaks a \
      rule is refused; for a condition, the error has the column.

      Example:
        brasa config publish template.json --project shop --etag etag-shop-12
      """
  )

  @Argument(help: "The file with the template.", completion: .file()) var file: String
  @Option(name: .long, help: "Publish only if this is the newest version's etag.") var etag: String?
  @Flag(name: .long, help: "Only validate the template.") var validate = false
  @Option(name: .long, help: "A description for the list of versions.") var description: String?
  @OptionGroup var template: ConfigTemplateOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    let text = try TextFile.json(at: file)
    let request = ConfigRequest.publish(
      template: text,
      etag: etag,
      validatesOnly: validate,
      description: description
    )
    try printReplies(try template.request(request), of: data)
  }
}

/// `brasa config versions`.
struct ConfigVersionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "versions",
    abstract: "List the versions of a template, the newest first.",
    discussion: """
      Example:
        brasa config versions --project shop --limit 20
      """
  )

  @Option(name: .long, help: "The number of entries to list.") var limit = 10
  @OptionGroup var template: ConfigTemplateOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    guard limit > 0 else { throw ValidationError("--limit must be at least 1.") }
    try printReplies(try template.request(.versions(limit: limit)), of: data)
  }
}

/// `brasa config rollback`.
struct ConfigRollbackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback",
    abstract: "Publish the template of an earlier version again, as a new version.",
    discussion: """
      Example:
        brasa config rollback 12 --project shop
      """
  )

  @Argument(help: "The version.") var version: Int64
  @OptionGroup var template: ConfigTemplateOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    try printReplies(try template.request(.rollBack(version: version)), of: data)
  }
}

/// `brasa config evaluate`.
struct ConfigEvaluateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "evaluate",
    abstract: "Show the values for a device and its user, and the conditions that apply.",
    discussion: """
      Conditions about facts that you do not pass are false.

      Example:
        brasa config evaluate --project shop --app 1:42:ios:ab --country BR --property plan=gold
      """
  )

  @Option(name: .long, help: "The app's ID: 1:{number}:{platform}:{digits}.") var app: String?
  @Option(name: .long, help: "The installation's id.") var installation: String?
  @Option(name: .long, help: "The app's version.") var appVersion: String?
  @Option(name: .long, help: "The app's build.") var build: String?
  @Option(name: .long, help: "The two-letter country code.") var country: String?
  @Option(name: .long, help: "The language, such as pt-BR.") var language: String?
  @Option(name: .long, help: "A user property as name=value; repeatable.")
  var property: [String] = []
  @Option(name: .long, help: "A custom signal as name=value; repeatable.")
  var signal: [String] = []
  @Option(name: .long, help: "A time such as 2027-01-15T08:00:00Z (default: now).") var at: String?
  @OptionGroup var template: ConfigTemplateOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    let subject = ConfigSubject(
      appID: app,
      installationID: installation,
      appVersion: appVersion,
      appBuild: build,
      country: country,
      language: language,
      userProperties: try Self.pairs(property),
      customSignals: try Self.pairs(signal)
    )
    try printReplies(try template.request(.evaluate(subject, at: at)), of: data)
  }

  private static func pairs(_ texts: [String]) throws -> [String: String] {
    var pairs: [String: String] = [:]
    for text in texts {
      let halves = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2, !halves[0].isEmpty else {
        throw ValidationError("\(text) must have the form name=value.")
      }
      pairs[String(halves[0])] = String(halves[1])
    }
    return pairs
  }
}

/// `brasa config experiments`.
struct ConfigExperimentsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "experiments",
    abstract: "List the experiments and how many installations each variant has.",
    discussion: """
      If the numbers are unlikely for the weights, the list reports a sample ratio mismatch.

      Example:
        brasa config experiments --project shop
      """
  )

  @OptionGroup var template: ConfigTemplateOptions
  @OptionGroup var data: DataOptions

  func run() throws { try printReplies(try template.request(.experiments), of: data) }
}
