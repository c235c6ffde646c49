import FirestoreClient
import FirestoreModel
import FirestoreSync
import Foundation

/// The measure of the distance between two vectors.
public enum DistanceMeasure: Int, Sendable {
  /// The straight line between them.
  case euclidean = 1
  /// The angle between them.
  case cosine = 2
  /// Their product, greatest first.
  case dotProduct = 3
}

extension Query {
  /// Beyond Google's API for Apple: the results whose vectors are nearest to one, at most 1,000.
  public func findNearest(
    _ vectorField: String,
    to queryVector: VectorValue,
    limit: Int,
    distanceMeasure: DistanceMeasure,
    distanceResultField: String? = nil,
    distanceThreshold: Double? = nil
  ) -> VectorQuery {
    var definition = definition
    definition.findNearest = FindNearest(
      field: FieldPath.dotted(vectorField).names,
      vector: queryVector.array,
      measure: FindNearest.Measure(rawValue: distanceMeasure.rawValue) ?? .euclidean,
      limit: limit,
      distanceResultField: distanceResultField.map { FieldPath.dotted($0).names },
      distanceThreshold: distanceThreshold
    )
    return VectorQuery(self, definition)
  }
}

/// A search for the nearest vectors, computed at the server.
public final class VectorQuery: Sendable {
  /// The query whose results are searched.
  public let query: Query
  private let definition: FirestoreModel.Query

  init(_ query: Query, _ definition: FirestoreModel.Query) {
    self.query = query
    self.definition = definition
  }

  /// The documents that were found, nearest first; fails offline.
  public nonisolated(nonsending) func getDocuments() async throws -> [QueryDocumentSnapshot] {
    let firestore = query.firestore
    let client = firestore.client
    let definition = definition
    do {
      let found = try await client.call { transport, credentials in
        try await transport.results(definition, credentials)
      }
      let metadata = SnapshotMetadata(hasPendingWrites: false, isFromCache: false)
      return found.map { document in
        QueryDocumentSnapshot(
          DocumentReference(firestore, name: document.name),
          document,
          metadata
        )
      }
    } catch {
      throw FirestoreErrorCode.app(error)
    }
  }
}
