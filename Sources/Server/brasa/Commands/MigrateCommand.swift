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
      Copies the documents of all databases (each at one time, in parallel), accounts with their passwords, files with \
      metadata and download tokens, rules, indexes, apps and Remote Config to the running server of the data directory. It notes in a plan what is stored: the \
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
  @Option(help: "The database at the source (default: all, or that of --database).")
  var sourceDatabase: String?
  @Option(help: "The file that records the progress (default: brasa-migration-PROJECT.json).")
  var plan: String?
  @Option(
    help:
      "A kind to leave out: documents, accounts, files, rules, indexes, apps or config; repeatable."
  )
  var exclude: [String] = []
  @Option(
    help: "A bucket that has another name here, as in photos=shop-photos; repeatable."
  )
  var bucket: [String] = []
  @Option(help: "The number of parallel document reads.") var parallel = 8
  @Flag(help: "Keep copying changes until Ctrl-C.") var follow = false
  @OptionGroup var data: DataOptions
  @Option(help: "The project's id (or $BRASA_PROJECT).")
  var project: String?
  @Option(help: "The database's id (default: each database of the source, under its own id).")
  var database: String?

  private static let kinds = [
    "documents", "accounts", "files", "rules", "indexes", "apps", "config",
  ]

  func validate() throws {
    if let unknown = exclude.first(where: { !Self.kinds.contains($0) }) {
      throw ValidationError(
        "--exclude must be one of \(Self.kinds.joined(separator: ", ")), not \(unknown)."
      )
    }
    guard (1...64).contains(parallel) else {
      throw ValidationError("--parallel must be between 1 and 64.")
    }
    if let wrong = bucket.first(where: { Self.pair($0) == nil }) {
      throw ValidationError("--bucket is like photos=shop-photos, not \(wrong).")
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

  private static func pair(_ text: String) -> (there: String, here: String)? {
    let halves = text.split(separator: "=", maxSplits: 1).map(String.init)
    return halves.count == 2 && !halves.contains("") ? (halves[0], halves[1]) : nil
  }

  func run() async throws {
    var options = DatabaseOptions()
    options.project = project
    options.database = database ?? DatabaseLabel.defaultDatabase
    let label = try options.label()
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
    let log = MigrationLog()
    try MigrationTarget(data: data, label: label, log: log).checkServer()
    let (databases, unread) = try await self.databases(source, label, log)
    var losses = unread
    losses += try await copyKinds(source, databases, log)
    guard !exclude.contains("documents") else { return losses == 0 }
    for database in databases {
      let drops = try await database.copy.run()
      for drop in drops { await log.print("documents: dropped: \(drop)") }
      losses += drops.count
      let count = await database.state.plan.documents
      await log.print("documents\(database.suffix): \(count) read, \(drops.count) dropped")
    }
    if follow {
      try await Self.untilInterrupted {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for database in databases {
            group.addTask { try await ChangeFollower(copy: database.copy).run() }
          }
          try await group.next()
        }
      }
    }
    var isEqual = true
    for database in databases {
      let (count, differences) = try await database.copy.compare()
      for difference in differences { await log.print("differs\(database.suffix): \(difference)") }
      isEqual = isEqual && differences.isEmpty
      guard differences.isEmpty else { continue }
      let text = "\(count.counting("document")) are equal on both sides"
      await log.print("compared\(database.suffix): \(text)")
    }
    if !isEqual, !follow {
      await log.print("Documents changed during the copy. Use --follow to copy changes, too.")
    }
    return losses == 0 && isEqual
  }

  /// The databases to copy: those that were named, or all of the source; and how many cannot be copied.
  private func databases(
    _ source: SourceServer,
    _ label: DatabaseLabel,
    _ log: MigrationLog
  ) async throws -> ([DatabaseMigration], losses: Int) {
    func migration(_ there: String, _ here: String) throws -> DatabaseMigration {
      try DatabaseMigration(
        source: source,
        there: there,
        target: MigrationTarget(
          data: data,
          label: DatabaseLabel(project: label.project, database: here),
          log: log
        ),
        plan: plan ?? "brasa-migration-\(label.project).json",
        isOneOfSeveral: database == nil && sourceDatabase == nil,
        workers: parallel
      )
    }
    guard database == nil, sourceDatabase == nil else {
      return ([try migration(sourceDatabase ?? label.database, label.database)], 0)
    }
    var (names, losses) = ([String](), 0)
    let listed = try await source.get(.firestore, "/v1/projects/\(source.project)/databases")
    for database in listed?["databases"]?.elements ?? [] {
      guard let name = database["name"]?.string?.split(separator: "/").last else { continue }
      if database["type"]?.string == "DATASTORE_MODE" {
        await log.print("documents: dropped: the database \(name) is in Datastore mode")
        losses += 1
      } else {
        names.append(String(name))
      }
    }
    if names.isEmpty { names = [DatabaseLabel.defaultDatabase] }
    return (try names.sorted().map { try migration($0, $0) }, losses)
  }

  /// Copies all but documents, each kind once.
  private func copyKinds(
    _ source: SourceServer,
    _ databases: [DatabaseMigration],
    _ log: MigrationLog
  ) async throws -> Int {
    guard let first = databases.first else { return 0 }
    let (target, settings) = (first.target, first.settings)
    var losses = 0
    func once(
      _ kind: String,
      of database: DatabaseMigration,
      _ body: () async throws -> (text: String, drops: [String])
    ) async throws {
      guard !exclude.contains(kind) else { return }
      let suffix = kind == "indexes" ? database.suffix : ""
      guard await !database.state.plan.done.contains(kind) else {
        return await log.print("\(kind)\(suffix): copied before")
      }
      let (text, drops) = try await body()
      for drop in drops { await log.print("\(kind): dropped: \(drop)") }
      losses += drops.count
      let loss = drops.isEmpty ? "" : ", \(drops.count) dropped"
      await log.print("\(kind)\(suffix): \(text)\(loss)")
      // The next run copies a kind with losses again.
      if drops.isEmpty { try await database.state.change { $0.done.append(kind) } }
    }
    for database in databases {
      if !exclude.contains("documents") || !exclude.contains("indexes") {
        try await database.target.makeDatabase()
      }
      try await once("indexes", of: database) {
        ("\(try await database.settings.indexes()) declared", [])
      }
    }
    try await once("rules", of: first) {
      let (releases, drops) = try await settings.rules()
      return (releases.isEmpty ? "none" : releases.joined(separator: ", "), drops)
    }
    try await once("config", of: first) {
      (try await settings.remoteConfig() ? "published" : "none", [])
    }
    try await once("apps", of: first) {
      let (count, ids, drops) = try await AppsCopy(source: source, target: target).run()
      for (there, here) in ids { await log.print("apps: \(there) is \(here) here") }
      return ("\(count) read, \(ids.count) registered", drops)
    }
    try await once("accounts", of: first) {
      let (count, drops) = try await AccountCopy(source: source, target: target).run()
      return ("\(count) read, \(count - drops.count) stored", drops)
    }
    try await once("files", of: first) { try await copyFiles(source, first) }
    return losses
  }

  private func copyFiles(
    _ source: SourceServer,
    _ database: DatabaseMigration
  ) async throws -> (text: String, drops: [String]) {
    let pairs = bucket.compactMap { Self.pair($0) }
    let (count, drops) = try await FileCopy(
      source: source,
      target: database.target,
      state: database.state,
      names: Dictionary(pairs.map { ($0.there, $0.here) }, uniquingKeysWith: { $1 })
    ).run()
    return ("\(count) read, \(count - drops.count) stored", drops)
  }

  /// Runs the body until somebody interrupts the program, or it fails.
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
