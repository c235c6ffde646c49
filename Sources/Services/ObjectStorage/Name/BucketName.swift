import Access
import BaseText

/// The name of a bucket: 3 to 63 lower-case letters, digits, `-`, `_` and `.`, up to 222 with dots.
package struct BucketName: Sendable, Hashable {
  /// The name, which was checked when it was made or stored.
  package let text: Text

  /// A bucket's name; throws for what cannot be one.
  package init(_ name: String) throws(StorageError) {
    guard Self.isValid(name) else {
      throw StorageError(.invalid, "Invalid bucket name: '\(name.prefix(300))'")
    }
    text = Text(name)
  }

  init(stored: Text) { text = stored }

  /// True where the name is neither another project's by its form nor the server's own.
  ///
  /// The one rule for every way to a bucket: each API, the first use, imports and commands.
  func mayBelong(to project: Text) -> Bool {
    UploadPart.mayHave(self, project: project)
      && BucketID(project: project, name: text).isRightful
  }

  /// Parts between dots have 1 to 63 characters; names in the form of an IPv4 address are refused.
  private static func isValid(_ name: String) -> Bool {
    let units = name.utf8
    guard let first = units.first, let last = units.last, isAlphanumeric(first),
      isAlphanumeric(last), (3...222).contains(units.count)
    else { return false }
    var (dots, length, isNumeric) = (0, 0, true)
    for unit in units {
      guard unit != 0x2E else {
        guard length > 0 else { return false }
        (dots, length) = (dots + 1, 0)
        continue
      }
      length += 1
      guard length <= 63, isAlphanumeric(unit) || unit == 0x2D || unit == 0x5F else { return false }
      if unit > 0x39 || unit < 0x30 { isNumeric = false }
    }
    return !(dots == 3 && isNumeric)
  }

  private static func isAlphanumeric(_ unit: UInt8) -> Bool {
    (0x30...0x39).contains(unit) || (0x61...0x7A).contains(unit)
  }
}
