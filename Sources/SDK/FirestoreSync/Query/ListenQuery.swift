import BaseStatus
import FirestoreModel

/// A query as an app listens to it: one document, or a query with its first or last results.
///
/// Two are equal if they give the same results in the same order.
package struct ListenQuery: Sendable, Hashable {
  /// At which end of the order a limit keeps results.
  package enum LimitType: Sendable, Hashable {
    case first
    case last
  }

  private enum Order: Sendable, Hashable {
    case document(ResourcePath)
    case query(NormalizedQuery)
  }

  private let order: Order
  /// The end of the order at which the limit keeps results; `first` without a limit.
  package let limitType: LimitType
  /// The target to request from the server; queries that mirror one another share it.
  package let target: Target

  /// A single document.
  package init(document: ResourcePath) {
    order = .document(document)
    limitType = .first
    target = Target(.document(document))
  }

  /// A query's results; refuses what Firestore refuses, with its texts.
  ///
  /// With `limitType` `.last` the limit counts from the end of the query's order.
  package init(_ query: Query, limitType: LimitType = .first) throws(ServiceError) {
    let normalized = try query.normalized()
    order = .query(normalized)
    self.limitType = normalized.limit == nil ? .first : limitType
    let asked = self.limitType == .first ? query : query.reversed(orders: normalized.orders)
    target = Target(.query(asked, try asked.normalized()))
  }

  /// The largest number of documents in the results.
  package var limit: Int? {
    if case .query(let query) = order { query.limit } else { nil }
  }

  /// The document, where the query is for a single one.
  package var document: ResourcePath? {
    if case .document(let path) = order { path } else { nil }
  }

  /// The scope, filters and orders; nil for a single document.
  package var normalized: NormalizedQuery? {
    if case .query(let query) = order { query } else { nil }
  }

  /// Returns true if an existing document is among the results before the limit.
  package func matches(_ document: CachedDocument) -> Bool {
    guard document.isFound else { return false }
    return switch order {
    case .document(let path): document.path == path
    case .query(let query): query.matches(document)
    }
  }

  /// True if every document of the scope is a result.
  var matchesAll: Bool {
    guard case .query(let query) = order else { return false }
    return query.disjuncts == [[]] && query.limit == nil && query.start == nil && query.end == nil
      && query.requiredFields.isEmpty
  }

  /// The order of the results.
  var resultOrder: ResultOrder {
    guard case .query(let query) = order else { return ResultOrder() }
    return ResultOrder(query.orders)
  }
}

extension Query {
  /// The query from its end: the request to the server if the last results are wanted.
  fileprivate func reversed(orders: [FirestoreModel.Order]) -> Query {
    var query = self
    query.orders = orders.map { order in
      FirestoreModel.Order(
        order.field,
        order.direction == .ascending ? .descending : .ascending
      )
    }
    query.start = end.map { Cursor(values: $0.values, before: !$0.before) }
    query.end = start.map { Cursor(values: $0.values, before: !$0.before) }
    return query
  }
}

/// The part of a query that a client asks the server to watch, and the key under which the cache
/// keeps its documents.
package struct Target: Sendable {
  /// The kinds of targets.
  package enum Kind: Sendable {
    case document(ResourcePath)
    /// The query as it is sent and its normal form, which is its identity.
    case query(Query, NormalizedQuery)
    /// The documents that a bundle of this id brought; never sent.
    case bundle(String)
  }

  /// The document, query or bundle, by which targets are compared.
  package let kind: Kind

  /// A target.
  package init(_ kind: Kind) { self.kind = kind }

  /// The document, where the target is a single one.
  package var document: ResourcePath? {
    if case .document(let path) = kind { path } else { nil }
  }
}

extension Target: Hashable {
  /// Compares queries by their normal forms; a query never equals a document or a bundle.
  package static func == (left: Target, right: Target) -> Bool {
    switch (left.kind, right.kind) {
    case (.document(let left), .document(let right)): left == right
    case (.query(_, let left), .query(_, let right)): left == right
    case (.bundle(let left), .bundle(let right)): left == right
    default: false
    }
  }

  /// Hashes the document, the normal form of the query, or the bundle's id.
  package func hash(into hasher: inout Hasher) {
    switch kind {
    case .document(let path): hasher.combine(path)
    case .query(_, let query): hasher.combine(query)
    case .bundle(let id): hasher.combine(id)
    }
  }
}
