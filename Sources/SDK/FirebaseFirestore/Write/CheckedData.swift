import FirestoreModel
import Foundation

// Beyond Google's API: data and queries of people, which throw where the usual calls trap.

extension DocumentReference {
  /// Throws `invalidArgument` where `setData` of these fields would trap.
  public func check(setData documentData: [String: Any], merge: Bool = false) throws {
    _ = try checking {
      merge
        ? try DataParser.merge(documentData, fields: nil, name, firestore)
        : try DataParser.set(documentData, name, firestore)
    }
  }

  /// Throws `invalidArgument` where `setData` of these fields at these paths would trap.
  public func check(setData documentData: [String: Any], mergeFields: [Any]) throws {
    _ = try checking { try DataParser.merge(documentData, fields: mergeFields, name, firestore) }
  }

  /// Throws `invalidArgument` where `updateData` of these fields would trap.
  public func check(updateData fields: [AnyHashable: Any]) throws {
    _ = try checking { try DataParser.update(fields, name, firestore) }
  }
}

extension Query {
  /// The query that a body makes of this one; throws `invalidArgument` where a call in it would trap.
  ///
  /// `try products.checking { $0.whereField(field, in: values).order(by: field) }`
  public func checking(_ body: (Query) throws -> Query) throws -> Query {
    let made = try body(copy(misuse: .isNoted(nil)))
    if case .isNoted(let problem?) = made.misuse {
      throw FirestoreErrorCode.error(.invalidArgument, problem)
    }
    let query = made.copy(misuse: .traps)
    try query.check()
    return query
  }

  private func copy(misuse: Misuse) -> Query {
    Query(firestore, definition, keepsLast: keepsLast, isOrdered: isOrdered, misuse: misuse)
  }

  /// Throws the server's refusals of the query, before it is sent.
  public func check() throws {
    if let problem = limitProblem { throw FirestoreErrorCode.error(.invalidArgument, problem) }
    do {
      _ = try listenQuery()
    } catch {
      throw FirestoreErrorCode.app(error)
    }
  }
}
