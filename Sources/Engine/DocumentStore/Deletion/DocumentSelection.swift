import BaseText
import FirestoreModel

/// The documents that a bulk deletion is about.
package enum DocumentSelection: Sendable, Hashable {
  /// The documents of one collection, with or without those of collections below them.
  case collection(ResourcePath, includingDescendants: Bool)
  /// The documents of every collection of that id.
  case collectionGroup(Text)
  /// Every document of the database.
  case all

  /// The query that finds their names in order, behind `last` if there is one.
  func query(in database: DatabaseID, after last: ResourcePath?) -> Query {
    var query =
      switch self {
      case .collection(let path, false):
        Query(parent: path.parent, scope: .collection(path.lastID ?? ""))
      case .collection(let path, true): Self.descendants(of: path, in: database)
      case .collectionGroup(let id): Query(scope: .collectionGroup(id))
      case .all: Query(scope: .descendants)
      }
    query.orders = [Order(.documentName)]
    query.projection = [.documentName]
    query.start = last.map {
      Cursor(values: [.reference(DocumentName(database: database, path: $0))], before: false)
    }
    return query
  }

  /// The least id that a document can have.
  private static let leastID: Text = "__id-9223372036854775808__"

  /// Documents in or below a collection lie between its least name and that of the collection whose id follows.
  private static func descendants(of path: ResourcePath, in database: DatabaseID) -> Query {
    var query = Query(parent: path.parent, scope: .descendants)
    let next = path.parent.appending(Text((path.lastID?.string ?? "") + "\0"))
    let (first, end) = (path.appending(leastID), next.appending(leastID))
    query.filter = .and([
      .field(
        .documentName,
        .greaterThanOrEqual,
        .reference(DocumentName(database: database, path: first))
      ),
      .field(.documentName, .lessThan, .reference(DocumentName(database: database, path: end))),
    ])
    return query
  }
}
