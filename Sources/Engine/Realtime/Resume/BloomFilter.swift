import Crypto
import FirestoreModel

/// A bloom filter of document names, in the form in which clients for the web and for phones look
/// names up.
///
/// DESIGN
///
/// A name is its UTF-8 bytes from `projects/` on. The two halves of its MD5, each eight bytes
/// little-endian, are numbers a and b; for i below `hashCount` the bit (a + i * b mod 2^64) mod
/// `bitCount` is set. Bit n is in byte n / 8 of the bitmap, the lowest bit first; the last
/// `padding` bits of the bitmap are unused. Twenty bits a name and fourteen hashes let one foreign
/// name in about fifteen thousand pass.
package struct BloomFilter: Sendable, Hashable {
  /// The bits; never empty, since clients take an empty filter for none.
  package private(set) var bitmap: [UInt8]

  private let bitCount: UInt64

  /// The number of bits that each name sets.
  package static let hashCount = 14
  private static let bitsPerName = 20
  /// Beyond that a filter is too large to be sent.
  private static let greatestCount = 400_000

  /// A filter for so many names, empty at first; nil for too many.
  package init?(count: Int) {
    guard count <= Self.greatestCount else { return nil }
    let bits = max(1, count) * Self.bitsPerName
    bitCount = UInt64(bits)
    bitmap = [UInt8](repeating: 0, count: (bits + 7) / 8)
  }

  /// The number of unused bits at the end of the bitmap.
  package var padding: Int { bitmap.count * 8 - Int(bitCount) }

  /// Adds a name; more than the filter was made for make it pass more, never less.
  package mutating func insert(_ name: DocumentName) {
    forEachBit(of: name) { bit in bitmap[Int(bit >> 3)] |= 1 << UInt8(bit & 7) }
  }

  private func forEachBit(of name: DocumentName, _ body: (UInt64) -> Void) {
    var text = name.string
    let (first, second) = text.withUTF8 { utf8 in
      Insecure.MD5.hash(data: utf8).withUnsafeBytes { digest in
        (
          UInt64(littleEndian: digest.loadUnaligned(as: UInt64.self)),
          UInt64(littleEndian: digest.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
        )
      }
    }
    var number = first
    for _ in 0..<Self.hashCount {
      body(number % bitCount)
      number &+= second
    }
  }
}
