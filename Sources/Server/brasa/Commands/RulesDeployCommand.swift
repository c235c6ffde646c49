import Access
import ArgumentParser
import BaseText
import FirestoreModel
import SecurityRules

/// `brasa rules deploy`.
struct RulesDeployCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy",
    abstract: "Deploy rules.",
    discussion: """
      The rules apply from the next request; a running server needs no restart. A file that does not \
      compile is refused with all its errors, and the rules stay as they are.

      Examples:
        brasa rules deploy firestore.rules --project shop
        brasa rules deploy firestore.rules --project shop --database orders
        brasa rules deploy storage.rules --project shop --service storage
      """
  )

  @Argument(help: "The file with the rules.", completion: .file()) var file: String
  @OptionGroup var project: RulesProjectOptions
  @Option(name: .long, help: "The database's id.") var database = "(default)"
  @Option(
    name: .long,
    help: "The service: firestore or storage (default: all that the file has)."
  )
  var service: String?
  @Option(name: .long, help: "The bucket of storage (default: the project's default bucket).")
  var bucket: String?
  @OptionGroup var data: DataOptions

  func run() throws {
    let source = try RulesFileText.read(file)
    let compiled = try RulesFileText.compile(source)
    let project = try project.id()
    var services = compiled.services
    if let service {
      let known = try RulesService(argument: service)
      guard services.contains(known) else {
        throw ValidationError("\(file) has no rules for \(service).")
      }
      services = [known]
    }
    let releases = services.flatMap { targets(of: $0, project: Text(project)) }
      .map(\.releaseName.string)
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

  /// The default bucket has two names.
  private func targets(of service: RulesService, project: Text) -> [RulesTarget] {
    switch service {
    case .firestore: [.firestore(DatabaseID(project: project, database: Text(database)))]
    case .storage:
      bucket.map { [.storage(BucketID(project: project, name: Text($0)))] }
        ?? BucketID.defaults(of: project).map { .storage($0) }
    }
  }
}

extension RulesService {
  /// The service of a command's argument: its name, or the part of it that the Firebase CLI takes.
  init(argument: String) throws {
    switch argument {
    case "firestore", RulesService.firestore.rawValue: self = .firestore
    case "storage", RulesService.storage.rawValue: self = .storage
    default: throw ValidationError("--service must be firestore or storage.")
    }
  }
}

/// `brasa rules list`.
struct RulesListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the deployed rules and the stored rulesets."
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

  @Argument(help: "A release such as cloud.firestore/{database}, or a ruleset's ID.")
  var name = "cloud.firestore"
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    try printReplies(.showRules(project: try project.id(), name: name), of: data, asFile: true)
  }
}
