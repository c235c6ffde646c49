import FirestoreModel

/// A set of document names that may hold foreign names too, as the server sends it with a count.
///
/// A name is its UTF-8 bytes from `projects/` on. The halves of its MD5, read as little-endian
/// numbers a and b, give the bits (a + i * b mod 2^64) mod bit count for each i below the hash
/// count. Bit n is in byte n / 8, lowest first.
package struct BloomFilter: Sendable, Hashable {
  private let bitmap: [UInt8]
  private let bitCount: UInt64
  private let hashCount: Int

  /// Nil for numbers that describe no filter.
  package init?(bitmap: [UInt8], padding: Int, hashCount: Int) {
    guard (0...7).contains(padding), hashCount >= 0 else { return nil }
    if bitmap.isEmpty {
      guard padding == 0 else { return nil }
    } else if hashCount == 0 {
      return nil
    }
    self.bitmap = bitmap
    self.hashCount = hashCount
    bitCount = UInt64(bitmap.count * 8 - padding)
  }

  /// True if there is no bit that a name could set.
  package var isEmpty: Bool { bitCount == 0 }

  /// False if the name certainly is not in the set.
  package func mightContain(_ name: DocumentName) -> Bool {
    if isEmpty { return false }
    let digest = MD5.digest(Array(name.string.utf8))
    var number = Self.number(digest[..<8])
    let step = Self.number(digest[8...])
    for _ in 0..<hashCount {
      let bit = number % bitCount
      if bitmap[Int(bit >> 3)] & (1 << UInt8(bit & 7)) == 0 { return false }
      number &+= step
    }
    return true
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
