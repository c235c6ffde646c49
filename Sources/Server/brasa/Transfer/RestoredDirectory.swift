import Authentication
import Backup
import BaseRuntime
import Foundation
import FunctionHost
import KeyValueRocksDB
import ObjectStorage

/// A data directory that a restore makes.
///
/// All is made in `PATH.restoring`, in which the file `restore-incomplete` keeps a server from taking it for a data directory,
/// and gets its name when it is whole and verified.
struct RestoredDirectory {
  let path: String
  /// True if the sessions of an earlier time stay valid.
  let keepsSessions: Bool
  let threads: EngineThreads
  /// True if the directory is for a proof: all files of Storage are below it then, and it is
  /// removed.
  var isScratch = false
  /// True where the engines alone are restored, without files.
  var hasEnginesAlone = false
  /// The id of the one project to restore; nil is all, with what belongs to the server.
  var project: String?

  private let lock = RestoreLock()

  private static let mark = "restore-incomplete"

  /// The end of the name of a directory that is not whole.
  static let ending = ".restoring"

  /// The directory's name until it is whole.
  var unfinished: String { path + Self.ending }

  /// Removes the directory of a restore that was cut off; false where its process goes on.
  ///
  /// It has a part of all that a backup holds, as plain files. The process has the mark locked as long as it runs, wherever it
  /// runs: a number of a process says nothing about one in another container.
  static func removeCutOff(_ directory: String) throws -> Bool {
    let lock = RestoreLock()
    guard try lock.take("\(directory)/\(mark)") else { return false }
    try FileManager.default.removeItem(atPath: directory)
    return true
  }

  /// True if a directory has the mark of one that is not whole.
  static func hasMark(_ directory: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(directory)/\(mark)")
  }

  /// Throws for a directory of a restore that was cut off.
  static func check(_ directory: String) throws {
    guard FileManager.default.fileExists(atPath: "\(directory)/\(mark)") else { return }
    throw CommandFailure(
      "\(directory) is left from an interrupted restore. Delete it and restore again."
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
    do {
      return try await fill(from: archive, point, tell: tell, progress: progress)
    } catch {
      // Other projects own a part of the contents.
      if project != nil { try? remove() }
      throw error
    }
  }

  private func fill(
    from archive: BackupArchive,
    _ point: RestorePoint,
    tell: @escaping @Sendable (String) -> Void,
    progress: @escaping @Sendable (_ bytes: Int) -> Void
  ) async throws -> RestoreOutcome {
    let restore = BackupRestore(
      archive,
      threads: threads,
      watching: keepsSessions ? [] : Self.watched
    ) { done, _ in progress(done) }
    var outcome = try await restore.run(to: unfinished, point)
    var isThere = true
    if let separation {
      isThere = try await threads.run(on: .maintenance) { try separation.separateEngines() }
      // The administrator key opens every project.
      outcome.settings = [:]
    }
    for (name, text) in outcome.settings where BackupID.files.contains(name) {
      let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
      let path = "\(unfinished)/\(name)"
      guard
        FileManager.default.createFile(
          atPath: path,
          contents: Data(text.utf8),
          attributes: attributes
        )
      else { throw CommandFailure("\(path) can't be written. Check the free disk space.") }
    }
    if hasEnginesAlone { return outcome }
    let directory = unfinished
    for (blobs, store) in try await threads.run(on: .maintenance, { try blobs() }) {
      try await restore.restoreBlobs(blobs, to: store, &outcome)
    }
    try await restore.restoreFiles(of: BackupFolders.functions, to: directory, point, &outcome)
    if let separation {
      let hasFunctions = try await threads.run(on: .maintenance) {
        try separation.separateFunctions()
      }
      guard isThere || hasFunctions else { throw separation.absence }
    }
    if !isScratch { try await noteRestore() }
    if outcome.isEarlier, !keepsSessions { try await endAccess(outcome, tell) }
    return outcome
  }

  private var separation: ProjectSeparation? {
    project.map { ProjectSeparation(directory: unfinished, project: $0) }
  }

  /// Restarts listeners that return with a time which the restored store may not have seen.
  private func noteRestore() async throws {
    let directory = unfinished
    try await threads.run(on: .maintenance) {
      try LocalAdministration.withStore(in: directory, .directory) { try $0.permit.noteRestore() }
    }
  }

  /// The store's keys that say who gets in and with which rights.
  private static var watched: [WatchedKeys] {
    [
      WatchedKeys(Accounts.userKeys) { try Accounts.access(ofUserRecord: $0) },
      WatchedKeys(Accounts.serviceAccountKeys), WatchedKeys(ObjectStorage.hmacKeyRange),
    ]
  }

  /// Ends the sessions of an earlier instant, and takes back what was taken away later.
  private func endAccess(
    _ outcome: RestoreOutcome,
    _ tell: @escaping @Sendable (String) -> Void
  ) async throws {
    let directory = unfinished
    try await threads.run(on: .maintenance) {
      try LocalAdministration.withStore(in: directory, .directory) { local in
        try local.accounts.endAllSessions()
        let later = outcome.later.map { (key: $0, state: $1.part) }
        let keys = later.filter { ObjectStorage.hmacKeyRange.contains($0.key) }
        let accounts = later.filter { !ObjectStorage.hmacKeyRange.contains($0.key) }
        let lines =
          try local.accounts.restrict(toLater: accounts.map { ($0.key, $0.state) })
          + local.files.restrictHMACKeys(toLater: keys.map { ($0.key, $0.state) })
        for line in lines.sorted() { tell(line) }
      }
    }
    if let segment = outcome.unreadSegment {
      tell(
        """
        Access that was revoked in segment \(segment) or later is active again: that segment can't be read. \
        Check brasa keys list and brasa console administrators.
        """
      )
    }
  }

  /// Verifies what was restored; returns the number of differences.
  func verify(_ tell: @escaping @Sendable (String) -> Void) async throws -> Int {
    let directory = unfinished
    return try await threads.run(on: .maintenance) {
      let functions = try FunctionHost.verify(
        FunctionHostConfiguration(dataDirectory: directory, isDevelopment: true)
      )
      var differences = functions.differences.count
      for difference in functions.differences { tell(difference) }
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

  /// Removes the remains of the directory, if the restore was for a proof.
  func remove() throws { try FileManager.default.removeItem(atPath: unfinished) }

  private func prepare() throws {
    let files = FileManager.default
    if let names = try? files.contentsOfDirectory(atPath: path), !names.isEmpty {
      throw CommandFailure("\(path) has files in it. Name a new directory with --to.")
    }
    if files.fileExists(atPath: unfinished) {
      // One that was cut off before it had the mark has nothing else.
      let names = try files.contentsOfDirectory(atPath: unfinished)
      guard names.isEmpty || names.contains(where: { $0.hasPrefix(Self.mark) }) else {
        throw CommandFailure(
          "\(unfinished) is in the way. Delete it, or name another directory with --to."
        )
      }
      if !Self.hasMark(unfinished) { try files.removeItem(atPath: unfinished) }
      guard try !files.fileExists(atPath: unfinished) || Self.removeCutOff(unfinished) else {
        throw CommandFailure(
          "Another restore writes to \(unfinished). Wait for it, or name another directory with --to."
        )
      }
    }
    try files.createDirectory(
      atPath: unfinished,
      withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700]
    )
    try lock.make("\(unfinished)/\(Self.mark)")
  }

  /// The blobs that the restored store names, by the stores that are to have them; blocks.
  private func blobs() throws -> [([BlobInFile], any BlobStore)] {
    let inspection = try RocksDBInspection(directory: unfinished + "/store")
    let kinds = BackupFolders.blobs(
      try FileServices.blobs(
        of: unfinished,
        threads: threads,
        settings: isScratch ? FileSettings.local : nil
      ),
      sites: try HostingServices.blobs(of: unfinished, threads: threads)
    )
    return try kinds.map { kind in
      var blobs: [BlobInFile] = []
      try inspection.forEach(in: kind.keys) {
        if let blob = try kind.read($0, $1) { blobs.append(blob) }
      }
      return (blobs, kind.store)
    }
  }
}

extension LaterState {
  /// The part of the value; nil where the key was removed.
  fileprivate var part: [UInt8]? {
    switch self {
    case .removed: nil
    case .written(let part): part
    }
  }
}
