/// Hashes of keys, to tell quickly that one is not among many.
///
/// Not for tables that a client could fill with colliding keys: the function has no secret.
package enum KeyHash {
  /// A number that equal keys share.
  package static func of(_ key: [UInt8]) -> UInt64 { key.withUnsafeBytes { of($0) } }

  /// The same number for a lent key.
  package static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    var hash = UInt64(bytes.count)
    var offset = 0
    while offset + 8 <= bytes.count {
      hash = mix(hash, bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
      offset += 8
    }
    var rest: UInt64 = 0
    while offset < bytes.count {
      rest = rest << 8 | UInt64(bytes[offset])
      offset += 1
    }
    return mix(hash, rest)
  }

  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
    return product.high ^ product.low
  }
}
