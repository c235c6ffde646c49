import AuditTrail
import Authentication
import BaseRuntime
import ConfigTemplates
import Console
import DocumentStore
import EventAnalytics
import Events
import Foundation
import FunctionHost
import Hosting
import Installations
import KeyValueRocksDB
import KeyValueStore
import ObjectStorage
import PushMessaging

/// Makes a restored data directory that no server has open one of a single project.
///
/// The project's records are copied to new engines, which take the place of the old ones: no byte
/// of another project stays behind in a table or a log. The server's own data goes too:
/// administrators, the keys that sign tokens, the audit trail, the history of jobs.
struct ProjectSeparation {
  let directory: String
  let project: String

  /// The owners in the store that have nothing of a project.
  private static let serverOwners: Set<KeyOwner> = [.engine, .nodes, .jobs, .audit]
  private static let known: [ProjectRecords] = [
    .databases, .accounts, .files, .triggers, .config, .hosting, .installations, .messages,
    formats,
  ]
  private static let formats = ProjectRecords(
    of: .formats,
    shared: [KeyOwner.formats.range]
  ) { _, _, _ in }

  /// The records of every owner in the store.
  private static let store: [ProjectRecords] = KeyOwnerTable.store.owners.compactMap { owner in
    if let records = known.first(where: { $0.owner == owner }) { return records }
    guard serverOwners.contains(owner) else {
      preconditionFailure("the data of \(owner.name) for a project is unknown")
    }
    return nil
  }

  /// Leaves the project alone in the engines; returns false where they have nothing of it.
  func separateEngines() throws -> Bool {
    let events: [ProjectRecords] = [.events, Self.formats]
    let own =
      try separate("\(directory)/store", Self.store) + separate("\(directory)/events", events)
    return own > 0
  }

  /// Copies the records of an engine to a new one in its place; returns how many are the project's own.
  private func separate(_ path: String, _ records: [ProjectRecords]) throws -> Int {
    let alone = path + "-alone"
    let own = try copy(path, to: alone, records)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: alone, toPath: path)
    return own
  }

  private func copy(_ path: String, to alone: String, _ records: [ProjectRecords]) throws -> Int {
    let source = try RocksDBEngine(directory: path)
    defer { try? source.close() }
    // Time continues where that of the old engine ended.
    let last = try source.read { try $0.readTime() }
    let clock = MicrosecondClock { max(MicrosecondClock.system.now(), last + 1) }
    let target = try RocksDBEngine(directory: alone, clock: clock)
    do {
      let own = try source.read { view in
        var batch = RecordBatch(to: target)
        var own = 0
        for records in records {
          own += try records.read(project, from: view) { key, value in
            _ = try batch.add(key, value)
          }
        }
        try batch.write()
        return own
      }
      try target.close()
      return own
    } catch {
      try? target.close()
      throw error
    }
  }

  /// Leaves the project's functions alone; returns false where there are none, and no secrets for any.
  func separateFunctions() throws -> Bool {
    try FunctionHost.keepOnly(
      project,
      FunctionHostConfiguration(dataDirectory: directory, isDevelopment: true)
    )
    return ["deployments/\(project)", "secrets/\(project).json"].contains {
      FileManager.default.fileExists(atPath: "\(directory)/functions/\($0)")
    }
  }

  /// The failure of a restore that found nothing of the project.
  var absence: CommandFailure {
    CommandFailure(
      "The backup has no project \(project) at that instant. Name another project or instant."
    )
  }
}
