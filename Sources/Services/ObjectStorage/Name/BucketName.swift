import FirestoreModel

/// The name of a bucket: 3 to 63 lower-case letters, digits, `-`, `_` and `.`, up to 222 with dots.
package struct BucketName: Sendable, Hashable {
  package let text: Text

  /// A bucket's name; throws for what cannot be one.
  package init(_ name: String) throws(StorageError) {
    guard Self.isValid(name) else {
      throw StorageError(.invalid, "Invalid bucket name: '\(name.prefix(300))'")
    }
    text = Text(name)
  }

  init(stored: Text) { text = stored }

  private static func isValid(_ name: String) -> Bool {
    let units = Array(name.utf8)
    guard let first = units.first, let last = units.last, isAlphanumeric(first),
      isAlphanumeric(last), units.count >= 3, units.count <= 222
    else { return false }
    guard units.allSatisfy({ isAlphanumeric($0) || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E })
    else { return false }
    let parts = units.split(separator: 0x2E, omittingEmptySubsequences: false)
    return parts.allSatisfy { !$0.isEmpty && $0.count <= 63 } && !isAddress(parts)
  }

  private static func isAlphanumeric(_ unit: UInt8) -> Bool {
    (0x30...0x39).contains(unit) || (0x61...0x7A).contains(unit)
  }

  /// Names in the form of an IPv4 address are refused.
  private static func isAddress(_ parts: [ArraySlice<UInt8>]) -> Bool {
    parts.count == 4
      && parts.allSatisfy { part in part.allSatisfy { (0x30...0x39).contains($0) } }
  }
}
