import BaseRuntime
import Foundation
import KeyValuePostgres

/// The memory of a server's clock for the next start: the file `clock` of the data directory.
///
/// FORMAT: one line: the id of the boot, a space, and `WallClock.currentOffset`; where the store is in PostgreSQL a space
/// and `PostgresEngine.clockOffset` follow. The offsets are good under the same boot alone. A file that cannot be read is
/// as good as none.
struct ClockRecord: Equatable {
  let boot: String
  let offset: Int64
  var databaseOffset: Int64?

  /// Returns true if another says the same within a reading's inaccuracy.
  func isLike(_ other: ClockRecord) -> Bool {
    let databases = [databaseOffset, other.databaseOffset].compactMap(\.self)
    return boot == other.boot && abs(offset - other.offset) < Self.inaccuracy
      && (databases.isEmpty
        || databases.count == 2 && abs(databases[0] - databases[1]) < Self.inaccuracy)
  }

  private static let inaccuracy: Int64 = 1_000_000

  /// The record of a server that last ran on a data directory under this boot, if there is one.
  static func ofThisBoot(from directory: String) -> ClockRecord? {
    read(from: directory).flatMap { $0.boot == currentBoot ? $0 : nil }
  }

  /// The id of this boot; nil where the system gives none.
  static var currentBoot: String? {
    let text = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    return text?.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  /// The record of a data directory, if there is one.
  static func read(from directory: String) -> ClockRecord? {
    guard let text = try? String(contentsOfFile: path(in: directory), encoding: .utf8) else {
      return nil
    }
    let parts = text.split(whereSeparator: \.isWhitespace)
    guard (2...3).contains(parts.count), let offset = Int64(parts[1]) else { return nil }
    return ClockRecord(
      boot: String(parts[0]),
      offset: offset,
      databaseOffset: parts.count == 3 ? Int64(parts[2]) : nil
    )
  }

  /// Replaces the record of a data directory.
  func write(to directory: String) throws {
    let databasePart = databaseOffset.map { " \($0)" } ?? ""
    let data = Data("\(boot) \(offset)\(databasePart)\n".utf8)
    try data.write(to: URL(fileURLWithPath: Self.path(in: directory)), options: .atomic)
  }

  private static func path(in directory: String) -> String { directory + "/clock" }
}

extension WallClock {
  /// Begins to hold steps back, also one that was made since a server last ran on the directory under this boot.
  func hold(rememberedIn directory: String, accepting: Bool) {
    hold(from: accepting ? nil : ClockRecord.ofThisBoot(from: directory)?.offset)
  }
}

extension ServeSettings {
  /// The treatment of steps of the database server's clock, where the store is in PostgreSQL.
  ///
  /// The tests and tools of developers set clocks as they like.
  var databaseClockSteps: ClockSteps {
    if isDevelopment { return .followed }
    if acceptsClock { return .accepted }
    return .held(from: ClockRecord.ofThisBoot(from: dataDirectory)?.databaseOffset)
  }
}
