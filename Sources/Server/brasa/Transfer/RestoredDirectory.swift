import Authentication
import Backup
import BaseRuntime
import Foundation
import KeyValueRocksDB
import ObjectStorage

/// A data directory that a restore makes.
///
/// All is made in `PATH.restoring`, in which the file `restore-incomplete` keeps a server from taking it for a data directory,
/// and gets its name when it is whole and verified.
struct RestoredDirectory {
  let path: String
  /// Whether the sessions of an earlier instant go on.
  let keepsSessions: Bool
  let threads: EngineThreads
  /// Whether the directory is for a proof: all files of Storage are below it then, and it is removed.
  var isScratch = false

  private static let mark = "restore-incomplete"

  private var unfinished: String { path + ".restoring" }

  /// Throws for a directory of a restore that was cut off.
  static func check(_ directory: String) throws {
    guard FileManager.default.fileExists(atPath: "\(directory)/\(mark)") else { return }
    throw CommandFailure(
      "\(directory) is what a restore left that was cut off. Delete it and restore again."
    )
  }

  /// Restores everything below the directory's unfinished name.
  func make(
    from archive: BackupArchive,
    _ point: RestorePoint,
    tell: @escaping @Sendable (String) -> Void = { _ in },
    progress: @escaping @Sendable (_ bytes: Int) -> Void
  ) async throws -> RestoreOutcome {
    try prepare()
    let restore = BackupRestore(
      archive,
      threads: threads,
      watching: keepsSessions ? [] : Accounts.accessKeys
    ) { done, _ in progress(done) }
    var outcome = try await restore.run(to: unfinished, point)
    for (name, text) in outcome.settings where BackupID.files.contains(name) {
      let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
      let path = "\(unfinished)/\(name)"
      guard
        FileManager.default.createFile(
          atPath: path,
          contents: Data(text.utf8),
          attributes: attributes
        )
      else { throw CommandFailure("\(path) can't be written. Check the room on the disk.") }
    }
    let directory = unfinished
    let (blobs, store) = try await threads.run(on: .maintenance) {
      let local = isScratch ? FileSettings.local : nil
      return (
        try Self.blobs(in: directory),
        try FileServices.blobs(of: directory, threads: threads, settings: local)
      )
    }
    try await restore.restoreBlobs(blobs, to: store, &outcome)
    if outcome.isEarlier, !keepsSessions { try await endAccess(outcome, tell) }
    return outcome
  }

  /// Ends the sessions of an earlier instant, and removes again who was removed later.
  private func endAccess(
    _ outcome: RestoreOutcome,
    _ tell: @escaping @Sendable (String) -> Void
  ) async throws {
    let directory = unfinished
    try await threads.run(on: .maintenance) {
      try LocalAdministration.withStore(in: directory, .directory) { local in
        try local.accounts.endAllSessions()
        for line in try local.accounts.removeAgain(outcome.removedKeys) {
          tell("removed again, as it was later: \(line)")
        }
      }
    }
    if let segment = outcome.unreadSegment {
      tell(
        """
        Users and keys that were removed in segment \(segment) or later are there again: that segment can't be read. \
        Look at brasa keys list and brasa console list.
        """
      )
    }
  }

  /// Verifies what was restored; returns the number of differences.
  func verify(_ tell: @escaping @Sendable (String) -> Void) async throws -> Int {
    let directory = unfinished
    return try await threads.run(on: .maintenance) {
      var differences = 0
      try LocalAdministration.withStore(in: directory, .directory, files: isScratch ? .local : nil)
      { local in
        try local.perform(.verify(sample: nil), input: { nil }) { reply in
          switch reply {
          case .difference(let text):
            differences += 1
            tell(text)
          case .line(let text), .finished(let text): tell(text)
          case .progress, .item, .omission, .counted, .failed: break
          }
        }
      }
      return differences
    }
  }

  /// Gives the directory its name.
  func finish() throws {
    try FileManager.default.removeItem(atPath: "\(unfinished)/\(Self.mark)")
    guard rename(unfinished, path) == 0 else {
      throw CommandFailure(
        "Can't rename \(unfinished) to \(path): \(String(cString: strerror(errno)))."
      )
    }
  }

  /// Removes what is left of the directory, where the restore was for a proof.
  func remove() throws { try FileManager.default.removeItem(atPath: unfinished) }

  private func prepare() throws {
    let files = FileManager.default
    if let names = try? files.contentsOfDirectory(atPath: path), !names.isEmpty {
      throw CommandFailure("\(path) has files in it. Name a new directory with --to.")
    }
    if files.fileExists(atPath: unfinished) {
      guard files.fileExists(atPath: "\(unfinished)/\(Self.mark)") else {
        throw CommandFailure(
          "\(unfinished) is in the way. Delete it, or name another directory with --to."
        )
      }
      try files.removeItem(atPath: unfinished)
    }
    try files.createDirectory(
      atPath: unfinished,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    try Data().write(to: URL(fileURLWithPath: "\(unfinished)/\(Self.mark)"))
  }

  /// The files of Storage that a restored store names.
  private static func blobs(in directory: String) throws -> [BlobInFile] {
    var blobs: [BlobInFile] = []
    try RocksDBInspection(directory: directory + "/store").forEach(in: BlobInFile.keys) {
      if let blob = try BlobInFile(key: $0, value: $1) { blobs.append(blob) }
    }
    return blobs
  }
}
