import FirebaseCore
import Foundation

/// The CRC-32C that a server tells of an object's bytes.
struct ObjectChecksum {
  private let expected: UInt32

  /// What an answer with all of an object's bytes tells; nil where it tells nothing, or of bytes that have been decoded
  /// since.
  init?(_ answer: HTTPAnswer) {
    for name in ["content-encoding", "x-goog-stored-content-encoding"] {
      guard answer.headers[name].map({ $0.lowercased() == "identity" }) ?? true else { return nil }
    }
    let parts = (answer.headers["x-goog-hash"] ?? "").split(separator: ",")
    let text = parts.map { $0.trimmingCharacters(in: .whitespaces) }
      .first { $0.hasPrefix("crc32c=") }
    guard let text, let bytes = Data(base64Encoded: String(text.dropFirst(7))), bytes.count == 4
    else { return nil }
    expected = bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Whether bytes have the checksum.
  func matches(_ data: Data) -> Bool {
    var state: UInt32 = 0xFFFF_FFFF
    Self.table.withUnsafeBufferPointer { table in
      for byte in data { state = state >> 8 ^ table[Int((state ^ UInt32(byte)) & 0xFF)] }
    }
    return ~state == expected
  }

  /// What each byte does to the checksum.
  private static let table: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in
      value & 1 == 1 ? value >> 1 ^ 0x82F6_3B78 : value >> 1
    }
  }
}
