/// Names an engine among those that share a store.
///
/// IDs of data that is only in one node's memory begin with it. It is drawn when the engine opens,
/// so no two are the same, now or later. It is no secret.
package struct NodeNumber: Sendable, Hashable {
  /// The number of bytes in `bytes`; `text` has twice as many digits.
  package static let byteCount = 8

  /// The number as drawn, any 64 bits; `bytes` and `text` have it big-endian.
  package let value: UInt64

  /// A node by its number.
  package init(_ value: UInt64) { self.value = value }

  /// The number that a text of sixteen lower-case hexadecimal digits says; nil for any other text.
  package init?(text: some StringProtocol) {
    guard text.utf8.count == 2 * Self.byteCount,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }),
      let value = UInt64(text, radix: 16)
    else { return nil }
    self.value = value
  }

  /// The number in the first bytes of an id; nil where there are fewer.
  package init?(leading id: [UInt8]) {
    guard id.count >= Self.byteCount else { return nil }
    value = id.prefix(Self.byteCount).reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The number, the highest byte first.
  package var bytes: [UInt8] { withUnsafeBytes(of: value.bigEndian) { Array($0) } }

  /// The number in sixteen hexadecimal digits.
  package var text: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 2 * Self.byteCount - digits.count) + digits
  }
}
