import BaseText
import Foundation

/// An e-mail address in its canonical form: composed (NFC) and in lower case.
///
/// Two spellings are one address exactly when their canonical forms have the same bytes.
package struct EmailAddress: Sendable, Hashable {
  /// The canonical form, as the store has it.
  package let text: Text

  /// The canonical form; nil for text that is not an address: not exactly one `@` with something on
  /// both sides, spaces, control characters, more than 256 bytes.
  package init?(_ raw: String) {
    guard raw.utf8.count <= Self.maximumLength else { return nil }
    let canonical = raw.precomposedStringWithCanonicalMapping.lowercased()
    let parts = canonical.utf8.split(separator: 0x40, omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }),
      !canonical.unicodeScalars.contains(where: Self.isForbidden)
    else { return nil }
    text = Text(canonical)
  }

  /// Takes the address of a record, which holds the canonical form.
  init(canonical: Text) { text = canonical }

  /// The address as a string.
  package var string: String { text.string }

  private static let maximumLength = 256

  private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value <= 0x20 || scalar.value == 0x7F || scalar.properties.isWhitespace
      || scalar.properties.generalCategory == .control
      || scalar.properties.generalCategory == .format || "<>,;\"\\".unicodeScalars.contains(scalar)
  }
}
