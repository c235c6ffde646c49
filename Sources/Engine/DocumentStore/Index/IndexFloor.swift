import BaseText
import FirestoreModel

/// From which version on a field's automatic entries are complete again, after an override that left
/// some out is gone.
///
/// Reads before it must not rest on the entries; when no such version can be read any more, the
/// floor is forgotten.
package struct IndexFloor: Sendable, Hashable {
  /// The id of the collections that the override was for.
  package let collectionID: Text
  /// The field that was overridden, with all fields below it.
  package let field: FieldPath
  /// The kind of entries that were left out.
  package let kind: AutomaticIndexKind
  /// The first version at which the entries are complete.
  package let since: CommitVersion

  /// Returns true if the floor applies to entries of a field and kind.
  func concerns(_ field: FieldPath, _ kind: AutomaticIndexKind) -> Bool {
    kind == self.kind && (self.field == FieldOverride.anyField || self.field.isPrefix(of: field))
  }
}
