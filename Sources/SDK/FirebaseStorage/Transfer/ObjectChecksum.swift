import Checksums
import FirebaseCore
import Foundation

/// The CRC-32C that a server reports for an object's bytes.
struct ObjectChecksum {
  /// The checksum as the server has it.
  let value: UInt32

  /// Reads the checksum from a response with all of an object's bytes; nil if it has none, or if
  /// the bytes have been decoded since.
  init?(_ answer: HTTPAnswer) {
    for name in ["content-encoding", "x-goog-stored-content-encoding"] {
      guard answer.headers[name].map({ $0.lowercased() == "identity" }) ?? true else { return nil }
    }
    let parts = (answer.headers["x-goog-hash"] ?? "").split(separator: ",")
    let text = parts.map { $0.trimmingCharacters(in: .whitespaces) }
      .first { $0.hasPrefix("crc32c=") }
    self.init(base64: text.map { String($0.dropFirst(7)) })
  }

  /// Reads the checksum from a response with an object's metadata; nil if it has none.
  init?(ofObject answer: HTTPAnswer) {
    let members = try? JSONSerialization.jsonObject(with: answer.body) as? [String: Any]
    self.init(base64: members?["crc32c"] as? String)
  }

  private init?(base64 text: String?) {
    guard let bytes = text.flatMap({ Data(base64Encoded: $0) }), bytes.count == 4 else {
      return nil
    }
    value = bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Returns true if bytes have the checksum.
  func matches(_ data: Data) -> Bool {
    var own = CRC32C()
    data.withUnsafeBytes { own.update($0) }
    return own.value == value
  }
}

/// The CRC-32C of bytes that come one after the other, some of them twice.
struct RunningChecksum {
  private var checksum = CRC32C()
  private var size: Int64 = 0

  /// The checksum of all bytes so far.
  var value: UInt32 { checksum.value }

  /// Adds bytes that begin at an offset; those that were there before are passed over.
  mutating func extend(by data: Data, at offset: Int64) {
    let known = min(max(size - offset, 0), Int64(data.count))
    data.dropFirst(Int(known)).withUnsafeBytes { checksum.update($0) }
    size = max(size, offset + Int64(data.count))
  }
}
