import ArgumentParser
import BaseText
import Foundation

/// The command `brasa firebase`.
struct FirebaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firebase",
    abstract: "Use the Firebase CLI with this server.",
    discussion: """
      Install the Firebase CLI first (npm install -g firebase-tools). In production it needs a key: \
      brasa keys create deployer --role admin --out key.json.

      Examples:
        eval "$(brasa firebase env --project shop)"
        brasa firebase --project shop -- deploy --only hosting
      """,
    subcommands: [EnvironmentCommand.self, RunCommand.self],
    defaultSubcommand: RunCommand.self
  )

  /// `brasa firebase env`.
  struct EnvironmentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "env",
      abstract: "Print the environment variables that point the Firebase CLI at this server.",
      discussion: """
        Example:
          eval "$(brasa firebase env --project shop)"
        """
    )
    @OptionGroup var options: FirebaseOptions

    func run() throws {
      for (name, value) in try options.variables() {
        let quoted = value.replacing("'", with: "'\\''")
        Terminal.print("export \(name)='\(quoted)'")
      }
    }
  }

  /// `brasa firebase -- ARGS`.
  struct RunCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "run",
      abstract: "Run the Firebase CLI with those variables.",
      discussion: """
        Example:
          brasa firebase run --project shop -- deploy --only hosting
        """
    )
    @OptionGroup var options: FirebaseOptions
    @Argument(parsing: .postTerminator, help: "The arguments for firebase, after --.")
    var arguments: [String] = []

    func run() throws {
      guard !arguments.isEmpty else {
        throw ValidationError("Add the arguments for firebase, as in: brasa firebase -- deploy")
      }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = ["firebase"] + arguments
      var environment = ProcessInfo.processInfo.environment
      for (name, value) in try options.variables() { environment[name] = value }
      process.environment = environment
      try process.run()
      process.waitUntilExit()
      guard process.terminationStatus != 127 else {
        throw CommandFailure(
          "The Firebase CLI is not installed. Run npm install -g firebase-tools."
        )
      }
      if process.terminationStatus != 0 { throw ExitCode(process.terminationStatus) }
    }
  }
}

/// The options that lead Firebase's command line to a server.
struct FirebaseOptions: ParsableArguments {
  @Option(
    name: .long,
    help: "The server's address (or $BRASA_ORIGIN; default: http://127.0.0.1:8080)."
  )
  var origin: String?
  @Option(name: .long, help: "The project's ID (or $BRASA_PROJECT).") var project: String?
  @Option(name: .long, help: "The key file of a service account, in production.") var key: String?

  /// The variables and their values, in order.
  func variables() throws -> [(String, String)] {
    let environment = ProcessInfo.processInfo.environment
    let origin = origin ?? environment["BRASA_ORIGIN"] ?? "http://127.0.0.1:8080"
    guard let url = URL(string: origin), ["http", "https"].contains(url.scheme ?? ""),
      url.host() != nil, url.path().isEmpty || url.path() == "/"
    else {
      throw ValidationError("--origin must be like https://brasa.example.org, not \(origin).")
    }
    let root = origin.hasSuffix("/") ? String(origin.dropLast()) : origin
    var variables = Self.names.map { ($0, root) }
    if let project = project ?? environment["BRASA_PROJECT"] {
      variables += [("GCLOUD_PROJECT", project), ("GOOGLE_CLOUD_PROJECT", project)]
    }
    if let key {
      let path = URL(fileURLWithPath: key).path
      guard FileManager.default.isReadableFile(atPath: path) else {
        throw ValidationError("Can't read the key file \(path).")
      }
      variables.append(("GOOGLE_APPLICATION_CREDENTIALS", path))
    }
    return variables
  }

  /// The variables by which Firebase's command line chooses the hosts of Google's services.
  private static let names = [
    "FIRESTORE_URL", "FIREBASE_RULES_URL", "FIREBASE_REMOTE_CONFIG_URL", "FIREBASE_STORAGE_URL",
    "FIREBASE_FIREBASESTORAGE_URL", "FIREBASE_IDENTITY_URL", "FIREBASE_AUTH_MANAGEMENT_URL",
    "FIREBASE_AUTH_URL", "FIREBASE_TOKEN_URL", "FIREBASE_API_URL", "FIREBASE_RESOURCEMANAGER_URL",
    "FIREBASE_SERVICE_USAGE_URL", "FIREBASE_GOOGLE_URL", "FIREBASE_HOSTING_API_URL",
    "FIREBASE_HOSTING_UPLOAD_URL", "FIREBASE_FUNCTIONS_URL", "FIREBASE_FUNCTIONS_V2_URL",
    "FIREBASE_FUNCTIONS_UPLOAD_URL", "FIREBASE_CLOUDBILLING_URL", "FIREBASE_IAM_URL",
    "FIREBASE_EVENTARC_URL", "FIREBASE_CLOUDSCHEDULER_URL", "CLOUD_RUN_URL", "CLOUD_TASKS_URL",
    "CLOUD_SECRET_MANAGER_URL", "FIREBASE_CLOUDLOGGING_URL", "FIREBASE_ARTIFACTREGISTRY_URL",
    "FIREBASE_PUBSUB_URL", "FIREBASE_RUNTIMECONFIG_URL",
  ]
}
