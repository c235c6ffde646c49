import FirestoreModel
import Foundation

/// Documents of a collection, by filters, in an order, within a window.
///
/// A query is a value: each call makes another one. A call that cannot make a query traps, with the
/// official texts. Unchecked: it is not final, and neither it nor a subclass here has anything that
/// changes.
public class Query: NSObject, @unchecked Sendable {
  /// The database.
  public let firestore: Firestore
  /// The definition of the query.
  package let definition: FirestoreModel.Query
  /// True if the limit keeps the last results instead of the first.
  package let keepsLast: Bool
  /// True if the app gave an order; a document as a cursor makes orders of its own.
  let isOrdered: Bool
  /// The treatment of calls that make no query.
  let misuse: Misuse

  /// The treatment of calls that make no query.
  enum Misuse: Sendable {
    /// They trap.
    case traps
    /// The first one's problem is recorded, and the rest is skipped.
    case isNoted(String?)
  }

  init(
    _ firestore: Firestore,
    _ definition: FirestoreModel.Query,
    keepsLast: Bool = false,
    isOrdered: Bool? = nil,
    misuse: Misuse = .traps
  ) {
    self.misuse = misuse
    self.firestore = firestore
    self.definition = definition
    self.keepsLast = keepsLast
    self.isOrdered = isOrdered ?? !definition.orders.isEmpty
  }

  /// Makes another query of this one; traps where `change` finds a problem, or notes it.
  func changed(
    keepsLast: Bool? = nil,
    isOrdered: Bool? = nil,
    _ change: (inout FirestoreModel.Query) throws -> Void
  ) -> Query {
    var changed = definition
    var misuse = misuse
    switch misuse {
    case .traps: trapping { try change(&changed) }
    case .isNoted(_?): return self
    case .isNoted(nil):
      do { try change(&changed) } catch { misuse = .isNoted(misuseText(error)) }
    }
    return Query(
      firestore,
      changed,
      keepsLast: keepsLast ?? self.keepsLast,
      isOrdered: isOrdered ?? self.isOrdered,
      misuse: misuse
    )
  }

  // MARK: Filters

  /// Documents that also pass a filter.
  public func whereFilter(_ filter: Filter) -> Query {
    changed { query in
      let added = try filter.condition.get().resolved(for: query, in: firestore)
      try FilterConflicts.check(added, with: query.filter)
      switch query.filter {
      case nil: query.filter = added
      case .and(let filters): query.filter = .and(filters + [added])
      case let present?: query.filter = .and([present, added])
      }
    }
  }

  // MARK: Order and window

  /// In the order of a field, smallest first.
  public func order(by field: String) -> Query { order(by: field, descending: false) }

  /// In the order of a field, smallest first.
  public func order(by path: FieldPath) -> Query { order(by: path, descending: false) }

  /// In the order of a field.
  public func order(by field: String, descending: Bool) -> Query {
    ordered(descending) { try .checked(dotted: field) }
  }

  /// In the order of a field; those that lack it are left out.
  public func order(by path: FieldPath, descending: Bool) -> Query {
    ordered(descending) { path }
  }

  private func ordered(_ descending: Bool, _ path: () throws -> FieldPath) -> Query {
    changed(isOrdered: true) { query in
      let field = try path()
      if query.start != nil {
        throw QueryProblem(
          "Invalid query. You must not specify a starting point before specifying the order by."
        )
      }
      if query.end != nil {
        throw QueryProblem(
          "Invalid query. You must not specify an ending point before specifying the order by."
        )
      }
      query.orders.append(Order(field.names, descending ? .descending : .ascending))
    }
  }

  /// Only the first so many.
  public func limit(to limit: Int) -> Query { limited(limit, keepsLast: false) }

  /// Only the last so many; needs an order.
  public func limit(toLast limit: Int) -> Query { limited(limit, keepsLast: true) }

  private func limited(_ limit: Int, keepsLast: Bool) -> Query {
    changed(keepsLast: keepsLast) { query in
      guard limit > 0 else {
        throw QueryProblem(
          "Invalid Query. Query limit (\(limit)) is invalid. Limit must be positive."
        )
      }
      query.limit = limit
    }
  }

  // MARK: Identity

  /// The identity of a query: its normal form, or its written form if that is refused.
  private enum Identity: Hashable {
    case normal(NormalizedQuery, keepsLast: Bool)
    case written(FirestoreModel.Query, keepsLast: Bool)
  }

  private var identity: Identity {
    let isLimitedToLast = keepsLast && definition.limit != nil
    do {
      return .normal(try definition.normalized(), keepsLast: isLimitedToLast)
    } catch {
      return .written(definition, keepsLast: isLimitedToLast)
    }
  }

  /// True for the same ``Firestore`` object and the same normal form, however it was written.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? Query else { return false }
    return firestore === other.firestore && identity == other.identity
  }

  /// A hash of the query's normal form, or of the query as written where it has none.
  public override var hash: Int { identity.hashValue }
}
