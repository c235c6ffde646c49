import ArgumentParser
import Foundation
import Hosting

/// The command `brasa hosting`.
struct HostingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hosting",
    abstract: "Deploy websites, roll them back and manage previews.",
    discussion: """
      A site has a host name of its own. It is deployed from the folder that firebase.json names as public.

      Examples:
        brasa hosting deploy --project shop
        brasa hosting deploy --project shop --channel preview
        brasa hosting rollback --project shop
      """,
    subcommands: [
      HostingDeployCommand.self, HostingReleasesCommand.self, HostingRollbackCommand.self,
      HostingChannelsCommand.self, HostingSitesCommand.self, HostingDomainsCommand.self,
    ]
  )
}

/// The site that a command is about.
struct SiteOptions: ParsableArguments {
  @Option(name: .long, help: "The site (default: the project's id).")
  var site: String?
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func name() throws -> String { try site ?? project.id() }

  /// Prints what a request gives.
  func print(_ request: (_ site: String) -> HostingRequest) throws {
    try printReplies(.hosting(project: try project.id(), request(try name())), of: data)
  }
}

/// `brasa hosting deploy`.
struct HostingDeployCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy",
    abstract: "Upload the changed files of a site's folder and release them.",
    discussion: """
      Rules are those of firebase.json: rewrites, redirects, headers, cleanUrls, trailingSlash, i18n and ignore. Files \
      that the server already has are not uploaded again.

      Example:
        brasa hosting deploy --project shop --message "new prices"
      """
  )

  @Option(name: .long, help: "The file with the rules.") var config = "firebase.json"
  @Option(
    name: .long,
    help: "The channel: live, or a preview, which is created if it does not exist."
  )
  var channel = HostedChannel.live
  @Option(name: .long, help: "A note for the list of releases.") var message = ""
  @OptionGroup var options: SiteOptions

  func run() throws {
    let file = try HostingFile(config, site: options.site)
    for name in file.unknown { Terminal.note("passed over in \(config): \(name)") }
    let folder = try SiteFolder(file.folder, ignoring: file.ignored)
    if folder.links > 0 { Terminal.note("left out: \(folder.links.counting("symbolic link"))") }
    let project = try options.project.id()
    let site = try file.site ?? options.name()
    let (version, missing) = try begin(site, project, file, folder)
    try upload(folder.files.filter { missing.contains($0.hash.text) }, version, site, project)
    let release = HostingRequest.release(
      site: site,
      version: version,
      channel: channel,
      message: message
    )
    try printReplies(.hosting(project: project, release), of: options.data)
  }

  private func begin(
    _ site: String,
    _ project: String,
    _ file: HostingFile,
    _ folder: SiteFolder
  ) throws -> (version: String, missing: Set<String>) {
    var files = folder.files.makeIterator()
    var lines: [String] = []
    let request = HostingRequest.begin(site: site, config: file.config.compact)
    try options.data.perform(
      .hosting(project: project, request),
      input: { files.next().map { Array($0.path.utf8) + [0] + $0.hash.bytes } },
      output: { if case .line(let line) = $0 { lines.append(line) } }
    )
    guard let version = lines.first else {
      throw CommandFailure("The server did not return the version that it created.")
    }
    return (version, Set(lines.dropFirst()))
  }

  private func upload(
    _ files: [SiteFolder.File],
    _ version: String,
    _ site: String,
    _ project: String
  ) throws {
    // Several paths may have one content.
    var seen: Set<ContentHash> = []
    let needed = files.filter { seen.insert($0.hash).inserted }
    let progress = ProgressLine()
    let upload = SiteUpload(needed)
    let request = HostingRequest.upload(site: site, version: version)
    try options.data.perform(
      .hosting(project: project, request),
      input: {
        progress.show(done: upload.done, total: needed.count, unit: "file")
        return try upload.next()
      },
      output: { if case .finished(let summary) = $0 { Terminal.note(summary) } }
    )
  }
}

/// `brasa hosting releases`.
struct HostingReleasesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "releases",
    abstract: "List the releases of a channel, newest first.",
    discussion: """
      Example:
        brasa hosting releases --project shop
      """
  )

  @Option(name: .long, help: "The channel.") var channel = HostedChannel.live
  @OptionGroup var options: SiteOptions

  func run() throws { try options.print { .releases(site: $0, channel: channel) } }
}

/// `brasa hosting rollback`.
struct HostingRollbackCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rollback",
    abstract: "Roll back to an earlier release.",
    discussion: """
      Without a release, the last one with another version is used.

      Example:
        brasa hosting rollback --project shop
      """
  )

  @Argument(help: "The release's id or the version's, as brasa hosting releases shows them.")
  var release: String?
  @Option(name: .long, help: "The channel.") var channel = HostedChannel.live
  @OptionGroup var options: SiteOptions

  func run() throws {
    try options.print { .rollBack(site: $0, channel: channel, to: release) }
  }
}

/// `brasa hosting channels`.
struct HostingChannelsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "channels",
    abstract: "List, open and delete previews.",
    discussion: """
      Examples:
        brasa hosting channels --project shop
        brasa hosting channels open preview --days 3 --project shop
        brasa hosting channels delete preview --project shop
      """,
    subcommands: [ListCommand.self, OpenCommand.self, DeleteCommand.self],
    defaultSubcommand: ListCommand.self
  )

  /// `brasa hosting channels list`.
  struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list",
      abstract: "List the channels with their hosts.",
      discussion: """
        Example:
          brasa hosting channels --project shop
        """
    )
    @OptionGroup var options: SiteOptions

    func run() throws { try options.print { .channels(site: $0) } }
  }

  /// `brasa hosting channels open`.
  struct OpenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "open",
      abstract: "Create a preview, or extend it.",
      discussion: """
        Example:
          brasa hosting channels open preview --days 3 --project shop
        """
    )
    @Argument(help: "The channel's id.") var channel: String
    @Option(name: .long, help: "The preview's lifetime, 1 to 30 days.") var days = 7
    @OptionGroup var options: SiteOptions

    func run() throws {
      guard (1...30).contains(days) else {
        throw ValidationError("--days must be between 1 and 30.")
      }
      try options.print { .openChannel(channel, site: $0, life: Int64(days) * 86_400) }
    }
  }

  /// `brasa hosting channels delete`.
  struct DeleteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "delete",
      abstract: "End a preview.",
      discussion: """
        Example:
          brasa hosting channels delete preview --project shop
        """
    )
    @Argument(help: "The channel's id.") var channel: String
    @OptionGroup var options: SiteOptions

    func run() throws { try options.print { .deleteChannel(channel, site: $0) } }
  }
}

/// `brasa hosting sites`.
struct HostingSitesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sites",
    abstract: "List, create and delete sites.",
    discussion: """
      Each project has a site with the project's ID, which the first deployment creates.

      Examples:
        brasa hosting sites --project shop
        brasa hosting sites --create shop-docs --project shop
      """
  )

  @Option(name: .long, help: "The name of a site to create.") var create: String?
  @Option(name: .long, help: "The name of a site to delete, with all its releases.")
  var delete: String?
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    let request: HostingRequest =
      create.map { .createSite($0) } ?? delete.map { .deleteSite($0) } ?? .sites
    try printReplies(.hosting(project: try project.id(), request), of: data)
  }
}

/// `brasa hosting domains`.
struct HostingDomainsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "domains",
    abstract: "Add or remove a site's own host name.",
    discussion: """
      The name's DNS must point to this server. It can't be the console's host or one below it.

      Examples:
        brasa hosting domains add shop.example.com --project shop
        brasa hosting domains remove shop.example.com --project shop
      """,
    subcommands: [AddCommand.self, RemoveCommand.self]
  )

  /// `brasa hosting domains add`.
  struct AddCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add",
      abstract: "Add a host name to the site.",
      discussion: """
        Example:
          brasa hosting domains add shop.example.com --project shop
        """
    )
    @Argument(help: "The host name.") var domain: String
    @OptionGroup var options: SiteOptions

    func run() throws { try options.print { .addDomain(domain, site: $0) } }
  }

  /// `brasa hosting domains remove`.
  struct RemoveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove",
      abstract: "Remove a host name from the site.",
      discussion: """
        Example:
          brasa hosting domains remove shop.example.com --project shop
        """
    )
    @Argument(help: "The host name.") var domain: String
    @OptionGroup var options: SiteOptions

    func run() throws { try options.print { .removeDomain(domain, site: $0) } }
  }
}
