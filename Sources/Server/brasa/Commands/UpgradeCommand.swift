import ArgumentParser
import DocumentStore
import Foundation
import KeyValuePostgres
import KeyValueRocksDB
import KeyValueStore

/// The command `brasa upgrade`.
struct UpgradeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "upgrade",
    abstract: "Upgrade a data directory to this version's formats, or show if that is needed.",
    discussion: """
      A start of the server upgrades the data directory by itself, and older versions of Brasa refuse it after that. \
      --check changes nothing and works beside a running server: run it with the new program before you replace the \
      old one. It exits with 1 where a newer version has written the data.

      Without --check the directory is upgraded now; no server may use it meanwhile.

      Examples:
        brasa upgrade --check --data data
        brasa upgrade --data data
      """
  )

  @Flag(help: "Change nothing; show what a start would upgrade.")
  var check = false
  @OptionGroup var data: DataOptions

  func run() throws {
    let directory = data.directory
    guard FileManager.default.fileExists(atPath: directory) else {
      throw CommandFailure("There is no data directory at \(directory). Name it with --data.")
    }
    let location = try data.location
    let upgrades = try check ? Self.look(directory, location) : Self.upgrade(directory, location)
    for upgrade in upgrades {
      let verb = check ? "needs an upgrade" : "was upgraded"
      print("\(upgrade.owner) \(verb) from format \(upgrade.stored) to \(upgrade.current)")
    }
    if upgrades.isEmpty {
      print("\(directory) has the formats of brasa \(ProgramVersion.full).")
    } else if check {
      print("The next start upgrades \(directory). Back it up first.")
    }
  }

  private static func look(
    _ directory: String,
    _ location: StoreLocation
  ) throws -> [StoredFormats.Upgrade] {
    try StoreMark(in: directory).check(location)
    let events = try look("\(directory)/events", [.events]) { _ in }
    let owners = KeyOwnerTable.store.owners
    switch location {
    case .directory:
      let store = try look("\(directory)/store", owners) {
        try OpenDataDirectory.checkDatabases($0.get)
      }
      return store + events
    case .postgres(let address):
      return try look(PostgresConfiguration(address: address), owners) + events
    }
  }

  /// The upgrades of a store in PostgreSQL, beside nodes that have it open.
  private static func look(
    _ configuration: PostgresConfiguration,
    _ owners: [KeyOwner]
  ) throws -> [StoredFormats.Upgrade] {
    let inspection = try PostgresInspection(configuration)
    try OpenDataDirectory.checkDatabases(inspection.get)
    let upgrades = try StoredFormats.upgrades(of: owners, inspection.get)
    let current = PostgresInspection.currentFormat
    guard inspection.format < current else { return upgrades }
    let tables = StoredFormats.Upgrade(
      owner: "the store in PostgreSQL",
      stored: UInt32(clamping: inspection.format),
      current: UInt32(clamping: current)
    )
    return [tables] + upgrades
  }

  private static func look(
    _ directory: String,
    _ owners: [KeyOwner],
    _ check: (RocksDBInspection) throws -> Void
  ) throws -> [StoredFormats.Upgrade] {
    guard FileManager.default.fileExists(atPath: directory) else {
      throw CommandFailure(
        "There is no store at \(directory). Name the data directory of a server with --data."
      )
    }
    let inspection = try RocksDBInspection(directory: directory)
    try check(inspection)
    return try StoredFormats.upgrades(of: owners, inspection.get)
  }

  private static func upgrade(
    _ directory: String,
    _ location: StoreLocation
  ) throws -> [StoredFormats.Upgrade] {
    if location == .directory {
      // An opening creates missing files, which is for a server's first start.
      _ = try look(directory, location)
    }
    var configuration = StoreConfiguration()
    configuration.maintainsItself = false
    let open = try OpenDataDirectory(
      path: directory,
      store: location,
      configuration: configuration,
      openTables: DescriptorBudget.raisingLimit().tables
    )
    try open.close()
    return open.upgrades
  }
}
