import Backup
import BaseJSON

extension BackupService {
  /// The backup as the console shows it: instants in milliseconds since 1970, null for what has not been yet.
  func report(_ settings: BackupSettings) -> JSONValue {
    let status = shipper.status
    return .object([
      "target": .string(status.target),
      "isEncrypted": .boolean(settings.keyFile != nil),
      "retentionDays": .integer(settings.retention.days),
      "lagSeconds": .number("\(shipper.lag)"),
      "delayP99Seconds": .number("\(status.delayP99)"),
      "failure": status.failure.map { .string($0.message) } ?? .null,
      "segment": .integer(status.segment),
      "base": .json(status.base),
      "baseInstant": .milliseconds(status.baseInstant),
      "provenAt": .milliseconds(status.provenAt),
      "provenBase": .json(status.provenBase),
      "shippedBytes": .integer(status.shippedBytes),
      "shippedSegments": .integer(status.shippedSegments),
    ])
  }
}

extension JSONValue {
  fileprivate static func json(_ number: Int?) -> JSONValue { number.map { .integer($0) } ?? .null }

  fileprivate static func milliseconds(_ microseconds: Int64?) -> JSONValue {
    microseconds.map { .integer($0 / 1_000) } ?? .null
  }
}
