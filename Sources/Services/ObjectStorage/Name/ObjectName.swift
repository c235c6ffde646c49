import BaseText

/// The name of an object: 1 to 1,024 bytes of UTF-8, compared byte by byte.
///
/// `.`, `..`, names below `.well-known/acme-challenge/` and names with a line break or a zero byte are
/// refused. A slash has no meaning of its own.
package struct ObjectName: Sendable, Hashable, Comparable {
  /// The name as the client gave it, percent-decoded.
  package let text: Text

  /// An object's name; throws for what cannot be one.
  package init(_ name: String) throws(StorageError) {
    let count = name.utf8.count
    guard count > 0 else { throw StorageError(.invalid, "Required object name is missing.") }
    guard count <= 1_024 else {
      throw StorageError(.invalid, "The specified object name is longer than 1024 bytes.")
    }
    let isReserved = name == "." || name == ".." || name.hasPrefix(".well-known/acme-challenge/")
    guard !isReserved, !name.utf8.contains(where: { $0 == 0 || $0 == 0x0A || $0 == 0x0D }) else {
      throw StorageError(.invalid, "Disallowed object name: '\(name.prefix(100))'")
    }
    text = Text(name)
  }

  init(stored: Text) { text = stored }

  /// Compares by the bytes of UTF-8, the order of lists.
  package static func < (left: ObjectName, right: ObjectName) -> Bool { left.text < right.text }
}
