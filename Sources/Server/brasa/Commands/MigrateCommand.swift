import ArgumentParser
import BaseStatus
import FirestoreModel
import Foundation
import Outbound
import UnixSignals

/// The command `brasa migrate`.
struct MigrateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Copy a whole project from another server.",
    discussion: """
      Example:
        brasa migrate firebase --key google-service-account.json --project shop
      """,
    subcommands: [MigrateFirebaseCommand.self]
  )
}

/// The command `brasa migrate firebase`.
struct MigrateFirebaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "firebase",
    abstract: "Copy a Firebase project over Google's public APIs.",
    discussion: """
      Copies documents (at one time, in parallel), accounts with their passwords, files with metadata and download tokens, \
      rules, indexes and Remote Config to the running server of the data directory. It notes in a plan what is stored: the \
      same command goes on after an interruption. At the end it compares both sides by number and digest of each collection.

      With --follow it goes on copying changes of documents. Stop writing to the source, then press Ctrl-C: the last comparison \
      runs, and the switch is the change of the address. It exits with 1 if anything was dropped or differs.

      The key belongs to a service account with the role Firebase Admin. --origin names a server that has all of Google's \
      services, such as another Brasa; without a key it is asked as the owner of a development server.

      Examples:
        brasa migrate firebase --key google-service-account.json --project shop
        brasa migrate firebase --key google-service-account.json --project shop --follow
        brasa migrate firebase --origin http://127.0.0.1:8080 --source-project demo --project shop
      """
  )

  @Option(help: "The key file of a service account at the source.", completion: .file())
  var key: String?
  @Option(help: "The origin of the source (default: Google).") var origin: String?
  @Option(help: "The project at the source (default: that of --project).")
  var sourceProject: String?
  @Option(help: "The database at the source (default: that of --database).")
  var sourceDatabase: String?
  @Option(help: "The file that records the progress (default: brasa-migration-PROJECT.json).")
  var plan: String?
  @Option(
    help: "A kind to leave out: documents, accounts, files, rules, indexes or config; repeatable."
  )
  var exclude: [String] = []
  @Option(help: "The number of parallel document reads.") var parallel = 8
  @Flag(help: "Keep copying changes until Ctrl-C.") var follow = false
  @OptionGroup var data: DataOptions
  @OptionGroup var database: DatabaseOptions

  private static let kinds = ["documents", "accounts", "files", "rules", "indexes", "config"]

  func validate() throws {
    if let unknown = exclude.first(where: { !Self.kinds.contains($0) }) {
      throw ValidationError(
        "--exclude must be one of \(Self.kinds.joined(separator: ", ")), not \(unknown)."
      )
    }
    guard (1...64).contains(parallel) else {
      throw ValidationError("--parallel must be between 1 and 64.")
    }
    if key == nil, origin == nil {
      throw ValidationError("Name the service account's key with --key.")
    }
    if let origin {
      guard let url = URL(string: origin), ["http", "https"].contains(url.scheme ?? ""),
        url.host() != nil, url.path().isEmpty
      else {
        throw ValidationError("--origin must be like https://brasa.example.org, not \(origin).")
      }
    }
  }

  func run() async throws {
    let label = try database.label()
    let client = NodeClient(connections: 32, silence: .seconds(60))
    let outcome: Bool
    do {
      outcome = try await migrate(to: label, client)
    } catch let error as ServiceError {
      try? await client.shutdown()
      throw CommandFailure("The source: \(error.message)")
    } catch {
      try? await client.shutdown()
      throw error
    }
    try await client.shutdown()
    if !outcome { throw ExitCode(1) }
  }

  private func migrate(to label: DatabaseLabel, _ client: NodeClient) async throws -> Bool {
    let source = SourceServer(
      origin: origin,
      project: sourceProject ?? label.project,
      credentials: try SourceCredentials(keyFile: key, origin: origin, client: client),
      client: client
    )
    let from = DatabaseLabel(
      project: source.project,
      database: sourceDatabase ?? label.database
    )
    let log = MigrationLog()
    let target = MigrationTarget(data: data, label: label, log: log)
    try target.checkServer()
    let state = try MigrationState(
      file: plan ?? "brasa-migration-\(label.project).json",
      source: "\(origin ?? "Google")/\(from.project)/\(from.database)",
      target: label
    )
    let copy = DocumentCopy(
      source: source,
      database: from.id,
      target: target,
      state: state,
      log: log,
      workers: parallel
    )
    var losses = try await copyKinds(source, from, target, state, log)
    guard !exclude.contains("documents") else { return losses == 0 }
    let drops = try await copy.run()
    for drop in drops { await log.print("documents: dropped: \(drop)") }
    losses += drops.count
    await log.print("documents: \(await state.plan.documents) read, \(drops.count) dropped")
    if follow { try await Self.untilInterrupted { try await ChangeFollower(copy: copy).run() } }
    let (count, differences) = try await copy.compare()
    for difference in differences { await log.print("differs: \(difference)") }
    if differences.isEmpty {
      await log.print("compared: \(count.counting("document")) are equal on both sides")
    } else if !follow {
      await log.print("Documents changed during the copy. Use --follow to copy changes, too.")
    }
    return losses == 0 && differences.isEmpty
  }

  /// Copies all but documents, each kind once.
  private func copyKinds(
    _ source: SourceServer,
    _ from: DatabaseLabel,
    _ target: MigrationTarget,
    _ state: MigrationState,
    _ log: MigrationLog
  ) async throws -> Int {
    let settings = SettingsCopy(source: source, target: target, database: from.database)
    var losses = 0
    func once(
      _ kind: String,
      _ body: () async throws -> (text: String, drops: [String])
    ) async throws {
      guard !exclude.contains(kind) else { return }
      guard await !state.plan.done.contains(kind) else {
        return await log.print("\(kind): copied before")
      }
      let (text, drops) = try await body()
      for drop in drops { await log.print("\(kind): dropped: \(drop)") }
      losses += drops.count
      let loss = drops.isEmpty ? "" : ", \(drops.count) dropped"
      await log.print("\(kind): \(text)\(loss)")
      // The next run copies a kind with losses again.
      if drops.isEmpty { try await state.change { $0.done.append(kind) } }
    }
    try await once("indexes") { ("\(try await settings.indexes()) declared", []) }
    try await once("rules") {
      let (releases, drops) = try await settings.rules()
      return (releases.isEmpty ? "none" : releases.joined(separator: ", "), drops)
    }
    try await once("config") { (try await settings.remoteConfig() ? "published" : "none", []) }
    try await once("accounts") {
      let (count, drops) = try await AccountCopy(source: source, target: target).run()
      return ("\(count) read, \(count - drops.count) stored", drops)
    }
    try await once("files") {
      let (count, drops) = try await FileCopy(source: source, target: target, state: state).run()
      return ("\(count) read, \(count - drops.count) stored", drops)
    }
    return losses
  }

  /// Runs the body until the program is interrupted, or it fails.
  private static func untilInterrupted(
    _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(operation: body)
      group.addTask {
        for await _ in signals { return }
      }
      do {
        try await group.next()
        group.cancelAll()
        while let _ = await group.nextResult() {}
      } catch {
        group.cancelAll()
        throw error
      }
    }
  }
}
