import ArgumentParser
import Authentication
import Foundation

/// The command `brasa apps`.
struct AppsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apps",
    abstract: "Register a project's apps and write their configuration files.",
    discussion: """
      An app with the file beside it needs no other settings: FirebaseApp.configure() finds the project \
      and this server.

      Examples:
        brasa apps create ios --bundle-id com.example.shop --project shop
        brasa apps config com.example.shop --project shop --out GoogleService-Info.plist
        brasa apps list --project shop
      """,
    subcommands: [
      AppsCreateCommand.self, AppsListCommand.self, AppsConfigCommand.self, AppsClientCommand.self,
      AppsDeleteCommand.self,
    ],
    defaultSubcommand: AppsListCommand.self
  )
}

extension RegisteredApp.Platform: ExpressibleByArgument {}
extension AppConfiguration.Form: ExpressibleByArgument {}

/// `brasa apps create`.
struct AppsCreateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create",
    abstract: "Register an app and print its ID.",
    discussion: """
      Examples:
        brasa apps create ios --bundle-id com.example.shop --name Shop --project shop
        brasa apps create ios --bundle-id com.example.shop --team-id A1B2C3D4E5 --project shop
        brasa apps create linux --name kiosk --project shop
      """
  )

  @Argument(help: "The platform: ios, android, web or linux.") var platform: RegisteredApp.Platform
  @Option(
    name: .customLong("bundle-id"),
    help: "The bundle ID (ios) or package name (android)."
  )
  var bundleID: String?
  @Option(name: .long, help: "The name to show in lists.") var name: String?
  @Option(
    name: .customLong("team-id"),
    help: "The Apple team ID, so that links of this server open the app (ios)."
  )
  var teamID: String?
  @Option(
    name: .customLong("sha256"),
    help: "A certificate's SHA-256 fingerprint, so that links open the app (android); repeatable."
  )
  var fingerprints: [String] = []
  @Option(
    name: .customLong("google-client-id"),
    help: "The app's own Google client ID: CLIENT_ID of its file (ios)."
  )
  var googleClientID: String?
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    let request = AppsRequest.create(
      platform: platform,
      bundleID: bundleID,
      displayName: name,
      teamID: teamID,
      fingerprints: fingerprints.isEmpty ? nil : fingerprints,
      googleClientID: googleClientID
    )
    try printReplies(.apps(project: try project.id(), request), of: data)
  }
}

/// `brasa apps list`.
struct AppsListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list",
    abstract: "List the apps, the oldest first.",
    discussion: """
      Example:
        brasa apps list --project shop
      """
  )

  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws { try printReplies(.apps(project: try project.id(), .list), of: data) }
}

/// `brasa apps config`.
struct AppsConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Print an app's configuration file.",
    discussion: """
      Without --format it is GoogleService-Info.plist for ios, google-services.json for android and \
      firebase-config.json for web and linux. The file names no secret.

      Example:
        brasa apps config com.example.shop --project shop --origin https://db.example.com \\
          --out GoogleService-Info.plist
      """
  )

  @Argument(help: "The app's ID or bundle ID.") var app: String
  @Option(name: .long, help: "The file: plist, json or google-services.")
  var format: AppConfiguration.Form?
  @Option(name: .long, help: "The file to write instead of standard output.") var out: String?
  @Option(
    name: .long,
    help: "The server's address for apps (or $BRASA_ORIGIN; default: as it was started)."
  )
  var origin: String?
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    let origin = origin ?? ProcessInfo.processInfo.environment["BRASA_ORIGIN"]
    let request = AppsRequest.config(app, form: format, origin: origin)
    try data.perform(.apps(project: try project.id(), request)) { reply in
      switch reply {
      case .line(let file): try write(file)
      case .finished(let summary): Terminal.note(summary)
      case .progress, .item, .difference, .omission, .counted, .failed: break
      }
    }
  }

  private func write(_ file: String) throws {
    guard let out else { return Terminal.write(file) }
    try Data(file.utf8).write(to: URL(fileURLWithPath: out), options: .atomic)
  }
}

/// `brasa apps client`.
struct AppsClientCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "client",
    abstract: "Set or remove an iOS app's own Google client.",
    discussion: """
      The client is CLIENT_ID of the app's file, and ID tokens for it sign in to the project. Without one the app \
      has the client of google.com.

      Example:
        brasa apps client com.example.shop --google-client-id 77-ios.apps.googleusercontent.com \\
          --project shop
      """
  )

  @Argument(help: "The app's ID or bundle ID.") var app: String
  @Option(
    name: .customLong("google-client-id"),
    help: "The client ID; without it the app's client is removed."
  )
  var googleClientID: String?
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    let request = AppsRequest.setGoogleClient(app, clientID: googleClientID)
    try printReplies(.apps(project: try project.id(), request), of: data)
  }
}

/// `brasa apps delete`.
struct AppsDeleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Remove an app; installed apps that have its file keep working.",
    discussion: """
      Example:
        brasa apps delete com.example.shop --project shop
      """
  )

  @Argument(help: "The app's ID or bundle ID.") var app: String
  @OptionGroup var project: RulesProjectOptions
  @OptionGroup var data: DataOptions

  func run() throws {
    try printReplies(.apps(project: try project.id(), .delete(app)), of: data)
  }
}
