import Backup
import Console

extension BackupService {
  /// The backup as the console shows it.
  var shown: ConsoleOperations.Backup {
    let status = shipper.status
    var shown = ConsoleOperations.Backup()
    shown.target = status.target
    shown.isEncrypted = settings.keyFile != nil
    shown.days = settings.retention.days
    shown.proofHours = settings.proofHours
    shown.lagSeconds = shipper.lag
    shown.delaySecondsP99 = status.delayP99
    shown.failure = status.failure?.message
    shown.segment = status.segment
    shown.base = Self.moment(status.base, status.baseInstant)
    shown.proof = Self.moment(status.provenBase, status.provenAt)
    shown.proofFailure = status.proofFailure
    shown.earliest = status.oldestInstant.map { $0 / 1_000 }
    shown.shippedSegments = status.shippedSegments
    shown.shippedBytes = status.shippedBytes
    return shown
  }

  private static func moment(_ base: Int?, _ time: Int64?) -> ConsoleOperations.Backup.Moment? {
    guard let base, let time else { return nil }
    return ConsoleOperations.Backup.Moment(base: base, time: time / 1_000)
  }
}
