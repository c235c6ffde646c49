import Backup
import BaseRuntime
import Foundation
import Logging

/// Proves the backup of a running server from time to time, by the command `brasa backup verify` in a process of its own.
///
/// That process has its own memory, and what it meets in a damaged backup cannot reach the server.
struct BackupProver: Sendable {
  let shipper: BackupShipper
  let settings: BackupSettings
  let directory: String
  let log: Logger

  /// The name of the directory that a proof is restored to, in the data directory.
  static let scratch = "backup-proof"
  /// The pause between two checks if a proof is due.
  private static let pause = Duration.seconds(1)
  /// After a proof that failed, in microseconds.
  private static let retry: Int64 = 3_600_000_000

  func run() async {
    var notBefore: Int64 = 0
    let started = MicrosecondClock.system.now()
    while !Task.isCancelled {
      try? await Task.sleep(for: Self.pause)
      let now = MicrosecondClock.system.now()
      guard now >= notBefore, isDue(shipper.status, at: now, since: started) else { continue }
      do {
        try await prove()
      } catch is CancellationError {
        return
      } catch {
        notBefore = now + Self.retry
        shipper.noteProof(failure: "\(error)")
        log.error("the backup could not be verified", metadata: ["error": "\(error)"])
      }
    }
  }

  private func isDue(_ status: BackupStatus, at now: Int64, since started: Int64) -> Bool {
    guard let base = status.base, base != status.provenBase else { return false }
    let pause = Int64(settings.proofHours) * 3_600_000_000
    // The first one comes an hour after the start.
    let last = status.provenAt ?? started + min(pause, 3_600_000_000) - pause
    return now - last >= pause
  }

  private func prove() async throws {
    let scratch = "\(directory)/\(Self.scratch)"
    var arguments = ["backup", "verify", "--from", settings.target.text, "--scratch", scratch]
    if let key = settings.keyFile { arguments += ["--backup-key", key] }
    try await ChildCommand(report: directory + "/backup-proof.log").run(arguments)
    shipper.noteProof(failure: nil)
    let removed = try await shipper.takeProof()
    log.notice("the backup was verified", metadata: ["removed": "\(removed)"])
  }
}
