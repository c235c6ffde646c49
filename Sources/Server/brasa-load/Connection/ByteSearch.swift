#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Finds bytes among others.
enum ByteSearch {
  /// Returns the index at which the wanted bytes, of which there is at least one, begin for the
  /// first time; nil if they are not there.
  static func first(_ wanted: [UInt8], in bytes: [UInt8]) -> Int? {
    bytes.withUnsafeBytes { all in
      wanted.withUnsafeBytes { part in
        guard let start = all.baseAddress, let sought = part.baseAddress else { return nil }
        var offset = 0
        while all.count - offset >= part.count,
          let hit = memchr(start + offset, CInt(part[0]), all.count - part.count - offset + 1)
        {
          if memcmp(hit, sought, part.count) == 0 { return UnsafeRawPointer(hit) - start }
          offset = UnsafeRawPointer(hit) - start + 1
        }
        return nil
      }
    }
  }
}
