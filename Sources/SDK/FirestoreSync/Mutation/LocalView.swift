import DocumentCodec
import FirestoreModel

/// A document with local writes applied one after the other, and which fields they changed.
struct LocalView {
  private(set) var document: CachedDocument
  /// The changed fields; nil where the writes decide the whole document.
  private(set) var mask: Set<FieldPath>?

  /// The document as the server knows it, before any local write.
  init(_ document: CachedDocument) {
    self.document = document
    mask = []
  }

  /// The document with an overlay applied.
  init(_ document: CachedDocument, overlay: Overlay?) {
    self.document = overlay?.applied(to: document) ?? document
    mask = overlay.map { $0.mask.map(Set.init) } ?? []
  }

  /// Applies a write; one whose precondition fails changes nothing here.
  mutating func apply(_ write: Write, localWriteTime: Timestamp) {
    guard write.precondition.holds(for: document) else { return }
    switch write.operation {
    case .delete:
      document = document.mutated(.missing)
      mask = nil
    case .verify: break
    case .update(let fields, nil):
      document = document.mutated(.found(transformed(fields, write, localWriteTime)))
      mask = nil
    case .update(let fields, let paths?):
      let merged = (document.fields ?? .empty).applying(fields, mask: paths)
      document = document.mutated(.found(transformed(merged, write, localWriteTime)))
      mask?.formUnion(paths + write.transforms.map(\.field))
    case .transform:
      let stored = document.fields ?? .empty
      document = document.mutated(.found(transformed(stored, write, localWriteTime)))
      mask?.formUnion(write.transforms.map(\.field))
    }
  }

  /// Returns the overlay of the pending writes; nil if they have no effect.
  func overlay(batch: BatchID) -> Overlay? {
    guard document.hasLocalMutations else { return nil }
    guard let mask else {
      let change: Overlay.Change = document.fields.map { .set($0) } ?? .delete
      return Overlay(batch: batch, change: change)
    }
    guard !mask.isEmpty, let fields = document.fields else { return nil }
    let paths = FieldMask.reduced(Array(mask))
    return Overlay(batch: batch, change: .patch(fields.projected(to: paths), mask: paths))
  }

  private func transformed(
    _ fields: DocumentFields,
    _ write: Write,
    _ localWriteTime: Timestamp
  ) -> DocumentFields {
    if write.transforms.isEmpty { return fields }
    var map = fields.decoded()
    let previous = document.fields
    for transform in write.transforms {
      if case .serverTimestamp = transform.operation {
        let pending = PendingServerTimestamp(
          localWriteTime: localWriteTime,
          replacing: previous?.value(at: transform.field)
        )
        map.set(pending.value, at: transform.field)
      } else {
        let stored = map.value(at: transform.field)
        let (value, _) = transform.apply(to: stored, requestTime: localWriteTime)
        map.set(value, at: transform.field)
      }
    }
    return DocumentFields(encoding: map)
  }
}

extension Precondition? {
  /// Returns true if a write with this precondition applies to the document.
  func holds(for document: CachedDocument) -> Bool {
    switch self {
    case nil: true
    case .exists(let exists)?: document.isFound == exists
    case .updateTime(let version)?: document.isFound && document.version == version
    }
  }
}
