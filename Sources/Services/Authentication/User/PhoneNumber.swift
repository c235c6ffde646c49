import BaseText

/// A telephone number as E.164 spells it: `+` and up to fifteen digits.
package struct PhoneNumber: Sendable, Hashable {
  /// The canonical form, as the store has it.
  package let text: Text

  /// The number without the spaces, dashes, dots and parentheses that people write; nil for any
  /// other text.
  package init?(_ raw: String) {
    let kept = raw.unicodeScalars.filter { !" -.()".unicodeScalars.contains($0) }
    let digits = kept.dropFirst()
    guard kept.first == "+", (5...15).contains(digits.count),
      digits.allSatisfy({ ("0"..."9").contains($0) }), digits.first != "0"
    else { return nil }
    text = Text(String(String.UnicodeScalarView(kept)))
  }

  /// Takes the number of a record, which holds the canonical form.
  init(canonical: Text) { text = canonical }

  /// The number as a string.
  package var string: String { text.string }
}
