import ArgumentParser
import SecurityRules

/// `brasa rules deploy`.
struct RulesDeployCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy",
    abstract: "Put rules in force.",
    discussion: """
      The rules hold for the next request; a running server needs no restart. A file that does not \
      compile is refused with all its errors, and what was in force stays.

      Examples:
        brasa rules deploy firestore.rules --project shop
        brasa rules deploy firestore.rules --project shop --database orders
      """
  )

  @Argument(help: "The file of rules.", completion: .file()) var file: String
  @OptionGroup var project: RulesProjectOptions
  @Option(name: .long, help: "The database's id.") var database = "(default)"
  @Option(
    name: .long,
    help: "The service: cloud.firestore or firebase.storage (default: all that the file has)."
  )
  var service: String?
  @Option(name: .long, help: "The bucket of firebase.storage (default: {project}.appspot.com).")
  var bucket: String?
  @OptionGroup var data: DataOptions

  func run() throws {
    let source = try RulesFileText.read(file)
    let compiled = try RulesFileText.compile(source)
    let project = try project.id()
    var services = compiled.services
    if let service {
      guard let known = RulesService(rawValue: service) else {
        throw ValidationError("The service is cloud.firestore or firebase.storage.")
      }
      guard services.contains(known) else {
        throw ValidationError("\(file) has no rules for \(service).")
      }
      services = [known]
    }
    let releases = services.map { service in
      switch service {
      case .firestore:
        database == "(default)" ? service.rawValue : "\(service.rawValue)/\(database)"
      case .storage: "\(service.rawValue)/\(bucket ?? project + ".appspot.com")"
      }
    }
    guard !releases.isEmpty else {
      throw ValidationError("\(file) has no rules for cloud.firestore or firebase.storage.")
    }
    let request = AdministrationRequest.deployRules(
      project: project,
      releases: releases.sorted(),
      file: source
    )
    try printReplies(request, of: data)
  }
}

/// `brasa rules list`.
struct RulesListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List which rules are in force, and the rulesets that are kept."
  )

  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws { try printReplies(.listRules(project: try project.id()), of: data) }
}

/// `brasa rules show`.
struct RulesShowCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Print the source of rules.",
    discussion: """
      Example:
        brasa rules show cloud.firestore/orders --project shop
      """
  )

  @Argument(help: "A release as cloud.firestore/{database}, or a ruleset's id.")
  var name = "cloud.firestore"
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    try printReplies(.showRules(project: try project.id(), name: name), of: data)
  }
}
