import Foundation
import KeyValueStore

/// The memory of a server's clock for the next start: the file `clock` of the data directory.
///
/// FORMAT: one line: the id of the boot, a space, and `WallClock.currentOffset`. The offset is good under the same boot
/// alone. A file that cannot be read is as good as none.
struct ClockRecord: Equatable {
  let boot: String
  let offset: Int64

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
    guard parts.count == 2, let offset = Int64(parts[1]) else { return nil }
    return ClockRecord(boot: String(parts[0]), offset: offset)
  }

  /// Replaces the record of a data directory.
  func write(to directory: String) throws {
    let data = Data("\(boot) \(offset)\n".utf8)
    try data.write(to: URL(fileURLWithPath: Self.path(in: directory)), options: .atomic)
  }

  private static func path(in directory: String) -> String { directory + "/clock" }
}

extension WallClock {
  /// Begins to hold steps back, also one that was made since a server last ran on the directory under this boot.
  func hold(rememberedIn directory: String, accepting: Bool) {
    let record = accepting ? nil : ClockRecord.read(from: directory)
    hold(from: record.flatMap { $0.boot == ClockRecord.currentBoot ? $0.offset : nil })
  }
}
