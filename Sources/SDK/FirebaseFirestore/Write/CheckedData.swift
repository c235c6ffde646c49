import FirestoreModel
import Foundation

// Beyond Google's API: data and queries of people, which throw where the usual calls trap.

extension DocumentReference {
  /// Throws `invalidArgument` where `setData` of these fields would trap.
  public func check(setData documentData: [String: Any], merge: Bool = false) throws {
    try checking {
      merge
        ? try DataParser.merge(documentData, fields: nil, name, firestore)
        : try DataParser.set(documentData, name, firestore)
    }
  }

  /// Throws `invalidArgument` where `setData` of these fields at these paths would trap.
  public func check(setData documentData: [String: Any], mergeFields: [Any]) throws {
    try checking { try DataParser.merge(documentData, fields: mergeFields, name, firestore) }
  }

  /// Throws `invalidArgument` where `updateData` of these fields would trap.
  public func check(updateData fields: [AnyHashable: Any]) throws {
    try checking { try DataParser.update(fields, name, firestore) }
  }

  private func checking(_ make: () throws -> Write) throws {
    do {
      _ = try make()
    } catch let problem as UserValue.Problem {
      throw FirestoreErrorCode(.invalidArgument, problem.message)
    }
  }
}

extension Query {
  /// Throws what the server would refuse about the query, before it is sent.
  public func check() throws {
    if let problem = limitProblem { throw FirestoreErrorCode(.invalidArgument, problem) }
    do {
      _ = try listenQuery()
    } catch {
      throw FirestoreErrorCode.app(error)
    }
  }
}
