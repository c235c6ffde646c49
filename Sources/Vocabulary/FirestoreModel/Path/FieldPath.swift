import BaseText

/// The way to a field: names from the outermost map inwards, unescaped.
///
/// Text form (escaping, limits) is in `FieldPath+Text.swift`.
package struct FieldPath: Sendable, Hashable {
  /// At least one name.
  package let segments: [Text]

  /// A path of unescaped names.
  package init(_ segments: [Text]) { self.segments = segments }

  /// The pseudo-field `__name__`: the document's name, in orders, filters, projections, cursors.
  package static let documentName = FieldPath(["__name__"])

  /// False for most fields: a cheap question before comparing with `__name__` and its like, which all begin with `_`.
  package var mayBeReserved: Bool {
    segments.count == 1 && segments[0].string.utf8.first == UInt8(ascii: "_")
  }

  /// True for the pseudo-field `__name__` alone; a field below it is an ordinary one.
  package var isDocumentName: Bool { mayBeReserved && self == Self.documentName }
}
