import DocumentCodec
import FirestoreModel

/// The number of a batch in the queue; ascending in the order of local writes.
package typealias BatchID = Int

/// The user whose writes a queue holds; nil where nobody is signed in.
package typealias UserID = String?

/// Writes that were made together and are sent and acknowledged together.
package struct MutationBatch: Sendable, Hashable {
  /// The batch's number, its position in the user's queue.
  package let id: BatchID
  /// The client's clock when the writes were made.
  package let localWriteTime: Timestamp
  /// Remember the values that increments and the like began with, so that applying the batch again
  /// on top of a newer document does not count twice.
  package let baseWrites: [Write]
  /// The writes in the order in which the app made them.
  package let writes: [Write]

  /// A batch of the queue.
  package init(id: BatchID, localWriteTime: Timestamp, baseWrites: [Write], writes: [Write]) {
    self.id = id
    self.localWriteTime = localWriteTime
    self.baseWrites = baseWrites
    self.writes = writes
  }

  /// The documents that the batch writes.
  package var paths: Set<ResourcePath> { Set(writes.map(\.name.path)) }

  /// Returns true if nothing of a document's earlier states is left after the batch.
  func replaces(_ path: ResourcePath) -> Bool {
    let first = writes.first { $0.name.path == path }
    guard let first, first.precondition == nil, first.transforms.isEmpty else { return false }
    switch first.operation {
    case .update(_, nil), .delete: return true
    case .update, .verify, .transform: return false
    }
  }

  /// A document with the batch applied.
  func applied(to view: LocalView) -> LocalView {
    var view = view
    for write in baseWrites where write.name.path == view.document.path {
      view.apply(write, localWriteTime: localWriteTime)
    }
    for write in writes where write.name.path == view.document.path {
      view.apply(write, localWriteTime: localWriteTime)
    }
    return view
  }

  /// The writes that keep the base values of a batch's transforms, from the documents before it.
  static func baseWrites(
    for writes: [Write],
    over documents: [ResourcePath: CachedDocument]
  ) -> [Write] {
    writes.compactMap { write in
      var base = MapValue()
      var mask: [FieldPath] = []
      for transform in write.transforms where transform.needsBase {
        let stored = documents[write.name.path]?.fields?.value(at: transform.field)
        base.set(stored.flatMap { $0.isNumber ? $0 : nil } ?? .integer(0), at: transform.field)
        mask.append(transform.field)
      }
      guard !mask.isEmpty else { return nil }
      return Write(
        name: write.name,
        operation: .update(DocumentFields(encoding: base), mask: mask),
        precondition: .exists(true)
      )
    }
  }
}

extension FieldTransform {
  /// True if applying the transform again gives another result.
  fileprivate var needsBase: Bool {
    switch operation {
    case .increment, .maximum, .minimum: true
    case .serverTimestamp, .appendMissingElements, .removeAllFromArray: false
    }
  }
}
