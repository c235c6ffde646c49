import BaseText
import FirestoreClient
import FirestoreModel
import Foundation

extension Query {
  /// The number of results, computed at the server.
  public var count: AggregateQuery { aggregate([.count()]) }

  /// Aggregations over the results, computed at the server.
  public func aggregate(_ aggregateFields: [AggregateField]) -> AggregateQuery {
    AggregateQuery(self, aggregateFields)
  }
}

/// Aggregations over the results of a query.
public final class AggregateQuery: NSObject, Sendable {
  /// The query.
  public let query: Query
  let fields: [AggregateField]

  init(_ query: Query, _ fields: [AggregateField]) {
    self.query = query
    self.fields = fields
  }

  /// Computes the aggregations; writes that are queued do not count.
  ///
  /// It fails offline.
  public func getAggregation(
    source: AggregateSource,
    completion: @escaping (AggregateQuerySnapshot?, (any Error)?) -> Void
  ) {
    let finish = query.firestore.deliver(to: completion)
    let client = query.firestore.client
    Task {
      let result: Result<AggregateQuerySnapshot, any Error>
      do {
        result = .success(try await aggregation(client))
      } catch {
        result = .failure(error)
      }
      finish(result)
    }
  }

  /// Computes the aggregations; writes that are queued do not count.
  ///
  /// It fails offline.
  public nonisolated(nonsending) func getAggregation(
    source: AggregateSource
  ) async throws -> AggregateQuerySnapshot {
    try await aggregation(query.firestore.client)
  }

  private nonisolated(nonsending) func aggregation(
    _ client: SyncClient
  ) async throws -> AggregateQuerySnapshot {
    let aggregations = fields.enumerated().map { index, field in
      Aggregation(alias: Text("aggregate_\(index)"), operator: field.aggregation)
    }
    do {
      let definition = try query.serverDefinition()
      let values = try await client.call { transport, credentials in
        try await transport.aggregate(aggregations, over: definition, credentials)
      }
      return AggregateQuerySnapshot(
        self,
        fields.indices.map { values[Text("aggregate_\($0)")] ?? .null }
      )
    } catch {
      throw FirestoreErrorCode.app(error)
    }
  }

  /// True for an equal query with the same aggregations in the same order.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AggregateQuery else { return false }
    return query == other.query && fields == other.fields
  }

  /// The hash of the query.
  public override var hash: Int { query.hash }
}

/// The aggregations over a query's results at one time.
public final class AggregateQuerySnapshot: NSObject, Sendable {
  /// The query that gave this snapshot.
  public let query: AggregateQuery
  private let values: [Value]

  init(_ query: AggregateQuery, _ values: [Value]) {
    self.query = query
    self.values = values
  }

  /// The number of results; traps where it was not asked for.
  public var count: NSNumber {
    guard let number = self.get(.count()) as? NSNumber else {
      preconditionFailure("The aggregation query does not include a count.")
    }
    return number
  }

  /// An aggregation's number, or `NSNull` for the mean of nothing; traps where it was not asked for.
  public func get(_ aggregateField: AggregateField) -> Any {
    let position = trapping { try index(of: aggregateField) }
    return UserValue.object(values[position], UserValue.Reading(query.query.firestore))
  }

  /// Throws `invalidArgument` where ``get(_:)`` would trap.
  public func check(_ aggregateField: AggregateField) throws { _ = try index(of: aggregateField) }

  private func index(of aggregateField: AggregateField) throws -> Int {
    guard let index = query.fields.firstIndex(of: aggregateField) else {
      throw FirestoreErrorCode.error(
        .invalidArgument,
        "'\(aggregateField)' was not requested in the aggregation query. Requested aggregations: "
          + "\(query.fields)"
      )
    }
    return index
  }

  /// True for equal queries with the same values.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? AggregateQuerySnapshot else { return false }
    return query == other.query && values == other.values
  }

  /// A hash of the values.
  public override var hash: Int { values.hashValue }
}
