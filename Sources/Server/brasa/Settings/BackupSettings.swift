import ArgumentParser
import Backup
import BaseRuntime
import Foundation
import Outbound

/// The flags of `brasa serve` for the backup.
struct BackupFlags: ParsableArguments {
  @Option(
    name: .customLong("backup"),
    help: """
      Back up continuously to this directory or to s3://bucket/path. Each server needs its own target. [BRASA_BACKUP]
      """
  )
  var target: String?

  @Option(
    name: .customLong("backup-key"),
    help:
      "The key file that encrypts the backup; create one with brasa backup key. [BRASA_BACKUP_KEY]"
  )
  var key: String?

  @Flag(
    name: .customLong("allow-plain"),
    help:
      "Allow a backup without encryption, readable for anyone with access to the target. [BRASA_BACKUP_ALLOW_PLAIN]"
  )
  var allowPlain = false

  @Option(
    name: .customLong("backup-days"),
    help: "Days for which any point in time can be restored. [BRASA_BACKUP_DAYS, default: 7]"
  )
  var days: Int?
}

/// The destination and the options of the server's backup.
struct BackupSettings: Sendable, Equatable {
  let target: BackupTargetAddress
  /// Nil is without encryption.
  let keyFile: String?
  var retention = BackupRetention()
  /// Hours from one proof to the next; 0 proves each base as soon as it is there.
  let proofHours: Int
  /// Megabytes of the log that may wait for the target.
  let keptLogMegabytes: Int

  /// Merges the flags with the environment; nil where no target is named.
  init?(_ flags: BackupFlags, _ environment: EnvironmentReader) throws {
    let key = flags.key ?? environment.text("BACKUP_KEY")
    let allowsPlain = try flags.allowPlain || environment.flag("BACKUP_ALLOW_PLAIN")
    guard let text = flags.target ?? environment.text("BACKUP") else {
      guard flags.key == nil, !flags.allowPlain else {
        throw ValidationError(
          "--backup-key and --allow-plain need a target. Name it with --backup."
        )
      }
      return nil
    }
    guard key != nil || allowsPlain else {
      throw ValidationError(
        """
        The backup would be readable for anyone with access to \(text). Name a key file with --backup-key, which \
        brasa backup key creates, or use --allow-plain.
        """
      )
    }
    target = try BackupTargetAddress(text, environment)
    keyFile = key
    if let days = try flags.days ?? environment.number("BACKUP_DAYS") {
      guard (1...3_650).contains(days) else {
        throw ValidationError("--backup-days must be between 1 and 3650, not \(days).")
      }
      retention.days = days
    }
    proofHours = try environment.number("BACKUP_PROOF_HOURS") ?? 168
    guard (0...8_760).contains(proofHours) else {
      throw ValidationError("BRASA_BACKUP_PROOF_HOURS must be between 0 and 8760.")
    }
    keptLogMegabytes = try environment.number("BACKUP_LOG_MEGABYTES") ?? 1_024
    guard (16...1_048_576).contains(keptLogMegabytes) else {
      throw ValidationError("BRASA_BACKUP_LOG_MEGABYTES must be between 16 and 1048576.")
    }
  }
}

/// A target as an operator names it.
enum BackupTargetAddress: Sendable, Equatable {
  case directory(String)
  case s3(FileSettings.S3)

  /// Reads a path, or an address of S3 whose server and key the variables `BRASA_BACKUP_S3_…` name, or else `BRASA_S3_…`.
  init(_ text: String, _ environment: EnvironmentReader) throws {
    guard text.contains("://") else {
      self = .directory(text)
      return
    }
    let parts = text.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    guard text.hasPrefix("s3://"), parts.count >= 3, !parts[2].isEmpty else {
      throw ValidationError("--backup needs a directory or s3://bucket/path, not \(text).")
    }
    func setting(_ name: String) -> String? {
      environment.text("BACKUP_S3_" + name) ?? environment.text("S3_" + name)
    }
    func required(_ name: String) throws -> String {
      guard let text = setting(name) else {
        throw ValidationError("A backup to S3 needs BRASA_BACKUP_S3_\(name).")
      }
      return text
    }
    var prefix = parts.count > 3 ? String(parts[3]) : ""
    if !prefix.isEmpty, !prefix.hasSuffix("/") { prefix += "/" }
    let region = setting("REGION") ?? "us-east-1"
    self = .s3(
      FileSettings.S3(
        endpoint: setting("ENDPOINT") ?? "https://s3.\(region).amazonaws.com",
        region: region,
        bucket: String(parts[2]),
        prefix: prefix,
        accessID: try required("ACCESS_KEY_ID"),
        secret: try required("SECRET_ACCESS_KEY"),
        authorities: setting("AUTHORITIES")
      )
    )
  }

  /// The target, whose files are written on `threads`.
  func open(threads: EngineThreads) throws -> any BackupTarget {
    switch self {
    case .directory(let path): return DirectoryTarget(path, threads: threads)
    case .s3(let settings):
      let address = "s3://\(settings.bucket)/\(settings.prefix)"
      return try S3BackupTarget(FileServices.configuration(settings), address: address)
    }
  }

  /// The target as a command's argument.
  var text: String {
    switch self {
    case .directory(let path): path
    case .s3(let settings): "s3://\(settings.bucket)/\(settings.prefix)"
    }
  }

  /// The key of a file; nil where none is named.
  static func key(_ file: String?) throws -> BackupKey? {
    guard let file else { return nil }
    guard let bytes = FileManager.default.contents(atPath: file) else {
      throw CommandFailure("Can't read the backup's key \(file). Check --backup-key.")
    }
    return try BackupKey(file: Array(bytes))
  }
}
