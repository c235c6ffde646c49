import BaseStatus
import FirestoreModel
import Testing

@testable import DocumentStore

@Suite struct QueryTransactionTests {
  /// A query in a transaction, a write by somebody else, and whether the transaction then commits.
  struct Conflict: Sendable, CustomTestStringConvertible {
    let name: String
    let query: Query
    let foreign: String
    let rank: Int64?
    let commits: Bool

    var testDescription: String { name }
  }

  private static func ranked(
    limit: Int? = nil,
    in scope: Query.Scope = .collection("c")
  ) -> Query {
    var query = Query(scope: scope)
    query.filter = .field(FieldPath(["rank"]), .greaterThanOrEqual, .integer(10))
    query.limit = limit
    return query
  }

  private static func scan(_ scope: Query.Scope, limit: Int? = nil) -> Query {
    var query = Query(scope: scope)
    query.limit = limit
    return query
  }

  static let conflicts: [Conflict] = [
    Conflict(name: "into the range", query: ranked(), foreign: "c/new", rank: 15, commits: false),
    Conflict(name: "before the range", query: ranked(), foreign: "c/new", rank: 5, commits: true),
    Conflict(name: "out of it", query: ranked(), foreign: "c/d2", rank: 5, commits: false),
    Conflict(name: "a deletion", query: ranked(), foreign: "c/d3", rank: nil, commits: false),
    Conflict(
      name: "behind the limit",
      query: ranked(limit: 2),
      foreign: "c/new",
      rank: 99,
      commits: true
    ),
    Conflict(
      name: "within the limit",
      query: ranked(limit: 2),
      foreign: "c/new",
      rank: 10,
      commits: false
    ),
    Conflict(
      name: "a document that was delivered",
      query: ranked(limit: 1),
      foreign: "c/d1",
      rank: 12,
      commits: false
    ),
    Conflict(name: "elsewhere", query: ranked(), foreign: "e/new", rank: 15, commits: true),
    Conflict(
      name: "into a scan",
      query: scan(.collection("c")),
      foreign: "c/new",
      rank: 1,
      commits: false
    ),
    Conflict(
      name: "behind a scan's limit",
      query: scan(.collection("c"), limit: 1),
      foreign: "c/new",
      rank: 1,
      commits: true
    ),
    Conflict(
      name: "into a group",
      query: scan(.collectionGroup("c")),
      foreign: "x/y/c/new",
      rank: 1,
      commits: false
    ),
    Conflict(
      name: "behind a group's limit",
      query: scan(.collectionGroup("c"), limit: 1),
      foreign: "x/y/c/new",
      rank: 1,
      commits: true
    ),
    Conflict(
      name: "below everything",
      query: scan(.descendants),
      foreign: "x/y",
      rank: 1,
      commits: false
    ),
    Conflict(
      name: "into what was sorted",
      query: ranked(in: .collectionGroup("c")),
      foreign: "c/new",
      rank: 15,
      commits: false
    ),
  ]

  @Test(arguments: conflicts)
  func `a commit checks the ranges that its transaction read`(conflict: Conflict) throws {
    let fixture = try QueryFixture()
    for number in 0..<5 {
      let document = fields(["rank": .integer(Int64(number * 10))])
      try fixture.write([(path("c/d\(number)"), document)])
    }
    let transaction = try fixture.database.beginTransaction(.readWrite(mode: .optimistic))
    let cursor = try fixture.database.query(conflict.query, consistency: .transaction(transaction))
    while try !cursor.next(maxDocuments: 2).isDone {}
    let foreign = conflict.rank.map { fields(["rank": .integer($0)]) }
    try fixture.write([(path(conflict.foreign), foreign)])
    let own = Write(
      name: DocumentName(database: fixture.id, path: path("own/result")),
      operation: .update(DocumentFields(encoding: fields([:])), mask: nil)
    )
    let request = CommitProposal(writes: [own], transaction: transaction)
    if conflict.commits {
      #expect(throws: Never.self) { try fixture.commit(request) }
    } else {
      let error = #expect(throws: ServiceError.self) { try fixture.commit(request) }
      #expect(error?.code == .aborted)
    }
  }

  @Test func `a query in a transaction does not see what was committed since its first read`()
    throws
  {
    let fixture = try QueryFixture()
    try fixture.write([(path("c/a"), fields(["rank": .integer(10)]))])
    let cursor = try fixture.database.query(
      Self.scan(.collection("e")),
      consistency: .newTransaction(.readOnly())
    )
    let first = try cursor.next()
    let id = try #require(cursor.newTransaction)
    try fixture.write([(path("c/b"), fields(["rank": .integer(10)]))])
    let second = try fixture.database.query(Self.ranked(), consistency: .transaction(id)).next()
    #expect(second.readTime == first.readTime)
    #expect(second.documents.map(\.name.path) == [path("c/a")])
  }
}
