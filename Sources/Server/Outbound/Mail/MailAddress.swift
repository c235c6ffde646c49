/// An e-mail address that can be part of an SMTP command and a header without being anything else.
package struct MailAddress: Sendable, Hashable {
  /// The address as it was given.
  package let text: String

  /// Nil for text that is not a plain `local@domain`: quotes, brackets, spaces and control
  /// characters are not allowed in it.
  package init?(_ text: String) {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, text.utf8.count <= 254,
      parts[0].utf8.count <= 64,
      text.unicodeScalars.allSatisfy(Self.isAllowed)
    else { return nil }
    self.text = text
  }

  /// True if the address needs a server that takes UTF-8 (RFC 6531).
  var isInternational: Bool { !text.utf8.allSatisfy { $0 < 0x80 } }

  /// The part behind the @.
  var domain: Substring { text.split(separator: "@").last ?? "" }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value > 0x20, scalar.value != 0x7F,
      !"<>()[],;:\\\"".unicodeScalars.contains(scalar)
    else { return false }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate,
      .unassigned, .privateUse:
      return false
    default: return true
    }
  }
}
