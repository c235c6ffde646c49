import DocumentCodec
import FirestoreModel

/// The effect of a user's pending writes on one document, collapsed into a single change.
///
/// Applied to the server's state it gives the same as applying the queue's batches one by one.
package struct Overlay: Sendable, Hashable {
  /// The collapsed change.
  package enum Change: Sendable, Hashable {
    case set(DocumentFields)
    /// Masked fields that the fields lack are removed.
    case patch(DocumentFields, mask: [FieldPath])
    case delete
  }

  /// The last batch that is part of it.
  package let batch: BatchID
  /// The change that gives the document as the user sees it.
  package let change: Change

  /// A collapsed change.
  package init(batch: BatchID, change: Change) {
    self.batch = batch
    self.change = change
  }

  /// The changed fields; nil where the whole document is decided.
  var mask: [FieldPath]? {
    if case .patch(_, let mask) = change { mask } else { nil }
  }

  /// The document as the user sees it.
  func applied(to document: CachedDocument) -> CachedDocument {
    switch change {
    case .set(let fields): document.mutated(.found(fields))
    case .patch(let fields, let mask):
      document.mutated(.found((document.fields ?? .empty).applying(fields, mask: mask)))
    case .delete: document.mutated(.missing)
    }
  }
}
