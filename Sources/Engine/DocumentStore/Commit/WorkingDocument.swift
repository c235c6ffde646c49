import BaseStatus
import DocumentCodec
import FirestoreModel

/// One document while the writes of a commit pass over it.
struct WorkingDocument {
  let name: DocumentName
  let key: DocumentKey
  let base: StoredDocument?

  /// The document as the writes so far have left it; nil when there is none.
  private(set) var fields: DocumentFields?
  /// Nil when this commit creates it.
  private var createTime: CommitVersion?
  /// True if a write of this commit has changed it.
  private var isTouched = false

  init(name: DocumentName, key: DocumentKey, base: StoredDocument?) {
    self.name = name
    self.key = key
    self.base = base
    fields = base?.fields
    createTime = base?.createTime
  }

  /// The update time that a write to it reports.
  var updateTime: PlannedResult.UpdateTime {
    guard !isTouched, let base else { return .thisCommit }
    return .stored(base.updateTime)
  }

  /// The change that the commit makes to the document.
  var outcome: PlannedDocument.Outcome {
    guard isTouched else { return .unchanged }
    guard let fields else { return .deleted }
    return .put(fields, createTime: createTime)
  }

  /// Throws Firestore's refusal if the precondition does not hold.
  func judge(_ precondition: Precondition?) throws(ServiceError) {
    switch precondition {
    case nil: return
    case .exists(true): if fields == nil { throw .noDocumentToUpdate(name) }
    case .exists(false): if fields != nil { throw .documentExists(name) }
    case .updateTime(let required):
      // `WriteLimits` lets none pass that differs from the first write's, so the base decides.
      let stored = base?.updateTime ?? .zero
      if stored == required { return }
      // A time that the server never gave for this document.
      if base != nil, required > stored { throw .baseVersionTooNew(name) }
      throw .baseVersion(stored: stored, required: required)
    }
  }

  /// Replaces the fields; equal ones change nothing.
  mutating func put(_ new: DocumentFields) {
    if let fields, fields.isIdentical(to: new) { return }
    if fields == nil { createTime = nil }
    fields = new
    isTouched = true
  }

  /// Removes the document; one that is not there stays so.
  mutating func delete() {
    guard fields != nil else { return }
    fields = nil
    createTime = nil
    isTouched = true
  }
}
