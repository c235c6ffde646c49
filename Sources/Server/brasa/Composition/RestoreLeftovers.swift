import BaseRuntime
import Foundation
import Logging
import ServiceLifecycle

/// Removes what restores and proofs of processes that were killed left in the data directory: all that the backup holds, as
/// plain files.
struct RestoreLeftovers: Service {
  let directory: String
  let threads: EngineThreads
  private let log = Logger(label: "restore")

  /// The pause between two looks.
  private static let pause = Duration.seconds(5)
  private static let prefix = "restore-"

  init(in directory: String, threads: EngineThreads) {
    (self.directory, self.threads) = (directory, threads)
  }

  /// The directory that a restore of this process uses.
  static func scratch(in directory: String) -> String {
    "\(directory)/\(prefix)\(ProcessInfo.processInfo.processIdentifier)"
  }

  func run() async {
    await cancelWhenGracefulShutdown {
      var hasFailed = false
      while !Task.isCancelled {
        hasFailed = await look(hasFailed: hasFailed)
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  /// Removes what there is; returns true where it can't, which is logged once.
  private func look(hasFailed: Bool) async -> Bool {
    do {
      let removed = try await threads.run(on: .maintenance) { [directory] in
        try Self.remove(in: directory)
      }
      for name in removed {
        log.notice(
          "the copy of a restore that was cut off is removed",
          metadata: ["name": "\(name)"]
        )
      }
      return false
    } catch {
      guard !hasFailed, !Task.isCancelled else { return true }
      log.error(
        "what restores left that were cut off can't be removed: delete restore-*.restoring",
        metadata: ["directory": "\(directory)", "error": "\(error)"]
      )
      return true
    }
  }

  /// Removes the leftovers; returns their names.
  static func remove(in directory: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: directory).filter { name in
      guard name.hasSuffix(RestoredDirectory.ending) else { return false }
      let stem = name.dropLast(RestoredDirectory.ending.count)
      let path = "\(directory)/\(name)"
      let process = stem.hasPrefix(prefix) ? pid_t(stem.dropFirst(prefix.count)) : nil
      guard process != nil || stem == BackupProver.scratch else { return false }
      if RestoredDirectory.hasMark(path) { return try RestoredDirectory.removeCutOff(path) }
      // Just made, or by an earlier version.
      guard let process, process > 0, kill(process, 0) != 0, errno == ESRCH else { return false }
      try FileManager.default.removeItem(atPath: path)
      return true
    }
  }
}
