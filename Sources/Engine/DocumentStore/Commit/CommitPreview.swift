import FirestoreModel
import KeyValueStore

/// Decides if a commit is allowed; throws the error for its author if it is not.
///
/// Called on the thread that prepares the commit, or inside the writer's group; may be called again
/// with another preview when its input has changed. Everything that it reads through the preview is
/// part of the decision: the commit is allowed only while none of it has changed.
package typealias CommitJudge = @Sendable (CommitPreview) throws -> Void

/// The effect that a commit would have, and the documents around it, for the decision to allow it.
///
/// Belongs to one thread, for the time of one decision.
package final class CommitPreview {
  /// The value of every server timestamp of the commit, and what rules take for the time.
  package let requestTime: Timestamp
  /// All writes of the commit, in their order.
  package let writes: [Write]
  /// True if the decision is made on an event loop, from memory alone; a read that needs more
  /// throws `NotInMemory`.
  package let isInMemory: Bool
  private let plan: CommitPlan
  private let incarnation: Incarnation
  private let read: ([UInt8]) throws -> [UInt8]?
  private var cache: [ResourcePath: StoredDocument?] = [:]
  private var others: [ReadDependency] = []

  init(
    _ writes: [Write],
    _ plan: CommitPlan,
    requestTime: Timestamp,
    incarnation: Incarnation,
    isInMemory: Bool,
    read: @escaping ([UInt8]) throws -> [UInt8]?
  ) {
    self.requestTime = requestTime
    self.writes = writes
    self.isInMemory = isInMemory
    self.plan = plan
    self.incarnation = incarnation
    self.read = read
  }

  /// The document of a write before the commit; nil when there is none.
  package func before(write index: Int) -> StoredDocument? {
    plan.documents[plan.steps[index].document].base
  }

  /// The fields that the document has after that write; nil when there is none.
  package func after(write index: Int) -> DocumentFields? { plan.steps[index].fields }

  /// Returns true if no earlier write of the commit names the same document.
  package func isFirst(write index: Int) -> Bool {
    let document = plan.steps[index].document
    return !plan.steps[..<index].contains { $0.document == document }
  }

  /// Any document before the commit; nil when there is none.
  package func document(at path: ResourcePath) throws -> StoredDocument? {
    if let written = written(path) { return written.base }
    if let known = cache[path] { return known }
    let key = DocumentKey(path, in: incarnation).bytes
    let document = try ValueFormat.document.value(of: key, read: read)
    cache[path] = .some(document)
    others.append(ReadDependency(path: path, version: document?.updateTime ?? .zero))
    return document
  }

  /// The fields of any document after the whole commit; nil when there is none.
  package func fieldsAfter(at path: ResourcePath) throws -> DocumentFields? {
    guard let written = written(path) else { return try document(at: path)?.fields }
    return switch written.outcome {
    case .unchanged: written.base?.fields
    case .put(let fields, _): fields
    case .deleted: nil
    }
  }

  /// Everything that the decision rests on: the written documents and what else was read.
  var dependencies: [ReadDependency] {
    plan.documents.map {
      ReadDependency(path: $0.path, version: $0.base?.updateTime ?? .zero)
    } + others
  }

  /// True if several documents were looked at, so that only a snapshot shows them together.
  var isOfSeveralDocuments: Bool { plan.documents.count + others.count > 1 }

  private func written(_ path: ResourcePath) -> PlannedDocument? {
    plan.documents.first { $0.path == path }
  }
}
