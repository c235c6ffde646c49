import BaseRuntime
import KeyValueRocksDB

/// The settings of a server's backup.
package struct BackupConfiguration: Sendable {
  /// The server's id, which its data directory keeps.
  package var server: String
  /// The machine and directory, to tell an operator whose backup it is.
  package var home: String
  /// Nil writes objects that everyone can read.
  package var key: BackupKey?
  /// A folder on the disk of the data, for checkpoints; its contents are removed.
  package var scratch: String
  /// The bytes of the log that may be kept for the backup; beyond, a new base takes its place.
  package var keptLogBytes = 1 << 30
  /// The bytes of groups in a segment before they are packed.
  package var segmentBytes = 4 << 20
  /// Microseconds after which a new base is made.
  package var baseAge: Int64 = 86_400_000_000
  /// Bytes of segments after which a new base is made, if they are more than the last base, too.
  package var baseLogBytes = 256 << 20
  /// The time for which bases and segments are kept.
  package var retention = BackupRetention()
  /// Files beside the engines that change rarely; nil where there are none.
  package var files: BackedFiles?
  /// The small files of the data directory that belong to a base.
  package var settings: @Sendable () -> [String: String] = { [:] }
  /// The oldest instant that is needed beyond the retention; nil if there is none.
  package var neededSince: @Sendable () throws -> Int64? = { nil }
  /// Microseconds since 1970.
  package var clock: MicrosecondClock = .system

  /// The backup of a server.
  package init(server: String, home: String, scratch: String) {
    self.server = server
    self.home = home
    self.scratch = scratch
  }
}

/// An engine that is backed up, with the name and number that it has in segments.
package struct BackedEngine: Sendable {
  /// The name in manifests and heads.
  package let name: String
  /// The engine, which keeps its log.
  package let engine: RocksDBEngine

  /// An engine under a name, which is that of its folder in the data directory.
  package init(_ name: String, _ engine: RocksDBEngine) {
    self.name = name
    self.engine = engine
  }
}

/// The retention of bases and segments in a target.
package struct BackupRetention: Sendable, Equatable {
  /// Each instant of so many days can be restored.
  package var days = 7
  /// At least so many bases stay.
  package var bases = 2

  /// A week, and two bases.
  package init() {}
}
