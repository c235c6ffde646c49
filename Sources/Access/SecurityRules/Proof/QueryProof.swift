import BaseText
import FirestoreModel

// Rules are not filters: a query is allowed when its own conditions prove the rules for every
// document that it may return (fact sheet, section 9). Each alternative of the filter is proven on
// its own, without looking at documents.

extension RulesSession {
  /// Judges a query by proof.
  ///
  /// Listings of a collection are queries without filters; aggregations are judged as their query.
  ///
  /// - Parameter database: The database's id.
  package func prove(
    _ query: NormalizedQuery,
    database: DatabaseID,
    auth: RulesAuth?,
    time: Timestamp,
    isInTransaction: Bool = false,
    observing: Bool = false
  ) throws -> RulesDecision {
    let range = QueryRange(query, database: database.database)
    let request = RulesRequest(
      method: .list,
      path: range.prefix,
      auth: auth,
      time: time,
      isInTransaction: isInTransaction
    )
    let object = RequestObject(
      request,
      path: range.collection,
      query: query.rulesMap,
      timeUse: timeUse
    )
    begin(limit: RulesLimits.accessCallsOfBatch)
    return try counting {
      try proveAll(query, database, range, RulesMap(object), observing: observing)
    }
  }

  /// Judges every alternative; the first that is not proven decides.
  private func proveAll(
    _ query: NormalizedQuery,
    _ database: DatabaseID,
    _ range: QueryRange,
    _ request: RulesMap,
    observing: Bool
  ) throws -> RulesDecision {
    var last: RulesDecision?
    let disjuncts = query.disjuncts.isEmpty ? [[]] : query.disjuncts
    let share = min(RulesLimits.variants, RulesLimits.variantsOfQuery / disjuncts.count)
    for disjunct in disjuncts {
      let document = SymbolicDocument(
        disjunct,
        compatibility: compatibility,
        maximumVariants: share
      )
      let name = document.name(in: query, database)
      for variant in document.variants {
        let evaluator = Evaluator(
          session: self,
          request: .map(request),
          resource: .map(resource(variant, name))
        )
        var path = range.path(name)
        path.isLenient = compatibility == .emulator
        let decision = try decide(.firestore, .list, evaluator, observing: observing) {
          $0.match(path)
        }
        guard decision.isAllowed else { return decision }
        last = decision
      }
    }
    return last
      ?? RulesDecision(isAllowed: false, attempts: [], documentsRead: [], usesTime: false)
  }

  private func resource(_ data: RulesMap, _ name: DocumentName?) -> RulesMap {
    var entries: [Text: RulesValue] = ["data": .map(data)]
    if let name, let id = name.path.lastID {
      entries["id"] = .string(id)
      entries["__name__"] = .path(RulesPath(name))
    }
    return RulesMap(entries, isOpen: data.isOpen)
  }
}

extension SymbolicDocument {
  /// The one document that can be returned, if it lies in the query's range.
  fileprivate func name(in query: NormalizedQuery, _ database: DatabaseID) -> DocumentName? {
    guard let name, name.database == database, query.holds(name.path) else { return nil }
    return name
  }
}

/// The paths that a query ranges over.
private struct QueryRange {
  /// The parent with the database in front.
  let prefix: [Text]
  private let scope: Query.Scope

  init(_ query: NormalizedQuery, database: Text) {
    prefix = ["databases", database, "documents"] + query.parent.segments
    scope = query.scope
  }

  /// `request.path`; nil where the query ranges over several collections.
  var collection: [Text]? {
    if case .collection(let id) = scope { prefix + [id] } else { nil }
  }

  /// The paths of all documents in range, or the one path that is known.
  func path(_ name: DocumentName?) -> SymbolicPath {
    if let name {
      return SymbolicPath(segments: Array(prefix.prefix(3)) + name.path.segments, gap: nil)
    }
    return switch scope {
    case .collection(let id): SymbolicPath(segments: prefix + [id, nil], gap: nil)
    case .collectionGroup(let id): SymbolicPath(segments: prefix + [id, nil], gap: prefix.count)
    case .children: SymbolicPath(segments: prefix + [nil, nil], gap: nil)
    case .descendants: SymbolicPath(segments: prefix + [nil, nil], gap: prefix.count)
    }
  }
}

extension NormalizedQuery {
  /// `request.query` of a rule.
  fileprivate var rulesMap: RulesMap {
    var orderBy: [Text: RulesValue] = [:]
    for order in orders where !order.field.isDocumentName {
      orderBy[Text(order.field.canonicalString)] =
        .string(order.direction == .ascending ? "ASC" : "DESC")
    }
    let limit = limit ?? findNearest?.limit
    return RulesMap([
      "limit": limit.map { .integer(Int64($0)) } ?? .null,
      "offset": .integer(Int64(offset)),
      "orderBy": .map(RulesMap(orderBy)),
    ])
  }
}
