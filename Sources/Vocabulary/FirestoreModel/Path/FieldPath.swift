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

  /// True for the pseudo-field `__name__` alone; a field below it is an ordinary one.
  package var isDocumentName: Bool { self == Self.documentName }
}
