import Foundation

// Pipelines, which Google has for databases of the Enterprise edition alone. Brasa's are of the Standard edition: a
// pipeline can be named and every execution is refused.

extension Firestore {
  /// Returns the source with which a pipeline begins.
  public func pipeline() -> PipelineSource { PipelineSource(self) }
}

/// The source of a pipeline's documents.
public final class PipelineSource: NSObject, Sendable {
  private let firestore: Firestore

  init(_ firestore: Firestore) { self.firestore = firestore }

  /// The documents of a collection.
  public func collection(_ path: String) -> Pipeline {
    Pipeline(firestore.collection(path).firestore)
  }

  /// The documents of all collections of an id.
  public func collectionGroup(_ collectionID: String) -> Pipeline {
    Pipeline(firestore.collectionGroup(collectionID).firestore)
  }

  /// All documents.
  public func database() -> Pipeline { Pipeline(firestore) }

  /// Some documents.
  public func documents(_ documents: [DocumentReference]) -> Pipeline {
    trapping { for document in documents { try document.check(in: firestore) } }
    return Pipeline(firestore)
  }

  /// The documents of a query.
  public func create(from query: Query) -> Pipeline { Pipeline(query.firestore) }
}

/// Stages that documents go through at the server.
public final class Pipeline: NSObject, Sendable {
  /// The results of a pipeline.
  public struct Snapshot: Sendable {
    /// The results in their order.
    public let results: [PipelineResult]
  }

  private let firestore: Firestore

  init(_ firestore: Firestore) { self.firestore = firestore }

  /// Throws `unimplemented`: the server has no pipelines.
  public func execute() async throws -> Snapshot {
    throw FirestoreErrorCode.error(
      .unimplemented,
      "Pipelines are not supported by Brasa. Use a query."
    )
  }
}

/// One result of a pipeline.
public struct PipelineResult: Sendable {
  /// The document; nil where it was made by a stage.
  public let ref: DocumentReference?
}
