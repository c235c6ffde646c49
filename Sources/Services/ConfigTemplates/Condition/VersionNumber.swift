/// A version such as `1.12.3`: numbers between points, of which missing ones are zero.
package struct VersionNumber: Sendable, Comparable {
  let parts: [UInt64]

  /// Reads a version; nil where a part is no number.
  package init?(_ text: String) {
    var parts: [UInt64] = []
    for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      guard part.allSatisfy({ (0x30...0x39).contains($0) }), let text = String(part),
        let number = UInt64(text)
      else { return nil }
      parts.append(number)
    }
    while parts.last == 0 { parts.removeLast() }
    self.parts = parts
  }

  /// Compares part by part from the left; missing parts are zero.
  package static func < (left: VersionNumber, right: VersionNumber) -> Bool {
    left.parts.lexicographicallyPrecedes(right.parts)
  }
}
