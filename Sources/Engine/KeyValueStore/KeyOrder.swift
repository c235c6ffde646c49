#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// The order of keys: that of `memcmp`, a prefix before its continuations.
package enum KeyOrder {
  /// Below, at or above zero as the first key sorts before, with or after the second.
  package static func compare(
    _ left: UnsafeRawBufferPointer,
    _ right: UnsafeRawBufferPointer
  ) -> Int {
    let shared = min(left.count, right.count)
    if shared > 0, let a = left.baseAddress, let b = right.baseAddress {
      let order = memcmp(a, b, shared)
      if order != 0 { return Int(order) }
    }
    return left.count - right.count
  }

  /// The same for a lent key and one of ours.
  package static func compare(_ left: UnsafeRawBufferPointer, _ right: [UInt8]) -> Int {
    right.withUnsafeBytes { compare(left, $0) }
  }

  /// The same for two keys of ours.
  package static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { compare($0, right) }
  }
}
