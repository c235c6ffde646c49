import BaseStatus
import DocumentStore
import FirestoreModel

/// The subject of a view, checked and in normal form: the identity of a shared view.
package enum ViewSubject: Sendable, Hashable {
  case query(NormalizedQuery)
  case documents([ResourcePath])

  /// The number of documents that a target may name: rules are asked about each whenever one
  /// changes.
  static let maximumDocuments = 1_000

  /// Checks a client's wish and brings it into normal form.
  ///
  /// Listeners always get whole documents, so the projection does not count.
  init(_ subject: TargetRequest.Subject) throws(ServiceError) {
    switch subject {
    case .documents(let paths):
      guard paths.count <= Self.maximumDocuments else {
        throw .invalidArgument("A target may name at most \(Self.maximumDocuments) documents.")
      }
      self = .documents(paths)
    case .query(var query):
      query.projection = nil
      guard query.findNearest == nil else {
        throw .invalidArgument("FindNearest cannot be listened to.")
      }
      self = .query(try query.normalized())
    }
  }

  /// True if only a part of the matches is shown, so that a document's fate depends on others.
  var isLimited: Bool {
    switch self {
    case .documents: false
    case .query(let query): query.limit != nil || query.offset > 0
    }
  }

  /// True if clients are notified of a missing document.
  var tellsMissing: Bool {
    if case .documents = self { true } else { false }
  }
}
