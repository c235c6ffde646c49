import BaseText
import FirestoreModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Finds values of BSON types among stored maps: their only key is a reserved one.
enum BSONView {
  /// True if a stored map, or one in the stored spelling, is a value of a BSON type or has its key.
  static func isMarked(_ map: UnsafeRawBufferPointer) -> Bool {
    // Most maps end here: the entry's tag and length, the key's, and two underscores.
    guard map.count > 8 else { return false }
    var start = 2
    while start < 6, map[start - 1] >= 0x80 { start += 1 }
    guard map.count > start + 6, map[start + 2] == UInt8(ascii: "_"),
      map[start + 3] == UInt8(ascii: "_")
    else { return false }
    var reader = ProtobufReader(map)
    guard (try? reader.nextField()) == 1, let content = try? reader.content(), reader.isAtEnd else {
      return false
    }
    var entry = ProtobufReader(content)
    guard (try? entry.nextField()) == 1, let key = try? entry.content(), isValidUTF8(key) else {
      return false
    }
    return BSONValue.isReserved(Text(validated: key))
  }
}

extension DocumentFields {
  /// True if a value is of a BSON type; true as well where other bytes look like the beginning of one.
  package var mayHoldBSON: Bool {
    bytes.withUnsafeBytes { raw in
      var rest = raw
      while let base = rest.baseAddress, let found = memchr(base, 0x5F, rest.count) {
        let start = raw.count - rest.count + (UnsafeRawPointer(found) - base)
        if Self.isReservedKey(at: start, in: raw) { return true }
        rest = UnsafeRawBufferPointer(rebasing: raw[(start + 1)...])
      }
      return false
    }
  }

  /// True if a field 1 of a message begins there with the content of a reserved key.
  private static func isReservedKey(at start: Int, in bytes: UnsafeRawBufferPointer) -> Bool {
    guard start >= 2, bytes[start - 2] == 0x0A else { return false }
    let end = start + Int(bytes[start - 1])
    guard end <= bytes.count, end > start + 1, bytes[start + 1] == 0x5F else { return false }
    let key = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    return isValidUTF8(key) && BSONValue.isReserved(Text(validated: key))
  }
}
