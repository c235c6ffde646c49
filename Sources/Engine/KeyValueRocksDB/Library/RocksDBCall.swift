import CRocksDB
import KeyValueStore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Calls a function of the C library that reports failure through a message.
func rocksCall<R>(
  _ call: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
) throws(KeyValueError) -> R {
  var message: UnsafeMutablePointer<CChar>?
  let result = call(&message)
  guard let message else { return result }
  defer { rocksdb_free(message) }
  throw KeyValueError(rocksMessage: String(cString: message))
}

extension KeyValueError.Code {
  /// A read that may not touch the disk would have to.
  static let incomplete = KeyValueError.Code(rawValue: "incomplete")
}

extension KeyValueError {
  /// True if the library stopped because it may not touch the disk.
  var isIncomplete: Bool { code == .incomplete }

  /// True if a file could not be opened because the process, or the system, has too many open.
  ///
  /// The library's messages end with the system's text. No write and no sync fails that way.
  var isWantOfDescriptors: Bool {
    code == .inputOutput
      && [EMFILE, ENFILE].contains { message.hasSuffix(String(cString: strerror($0))) }
  }

  /// True if the disk, or the process's share of it, had no room left.
  ///
  /// Everything synced before is on the disk, whether a write or a sync failed so; anything else has not been
  /// acknowledged.
  var isWantOfRoom: Bool {
    code == .diskFull
      || code == .inputOutput
        && [ENOSPC, EDQUOT].contains { message.contains(String(cString: strerror($0))) }
  }

  /// RocksDB's messages begin with the kind of failure and name the file where there is one.
  init(rocksMessage message: String) {
    let code: Code =
      if message.hasPrefix("Corruption") {
        .corruption
      } else if message.hasPrefix("Result incomplete") {
        .incomplete
      } else if message.hasPrefix("IO error"), message.contains("lock") {
        .locked
      } else {
        .inputOutput
      }
    self.init(code, "RocksDB: \(message)")
  }
}

extension Array where Element == UInt8 {
  /// The bytes as the C library takes them.
  func withChars<R>(_ body: (UnsafePointer<CChar>?, Int) throws -> R) rethrows -> R {
    try withUnsafeBufferPointer { bytes in
      try bytes.withMemoryRebound(to: CChar.self) { try body($0.baseAddress, $0.count) }
    }
  }

  /// A copy of bytes that the C library owns.
  init(copying chars: UnsafePointer<CChar>?, count: Int) {
    self.init(UnsafeRawBufferPointer(start: chars, count: count))
  }
}
