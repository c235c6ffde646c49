import BaseStatus
import BaseText
import FirestoreModel
import Testing

@testable import DocumentStore

/// Tests of the counts of indexes by the queries that used them.
@Suite struct IndexUsesTests {
  private static func query(_ field: FieldPath, by order: FieldPath) -> Query {
    var query = Query(scope: .collection("c"))
    query.filter = .field(field, .equal, .integer(1))
    query.orders = [Order(order)]
    return query
  }

  private static func index(_ field: FieldPath, _ order: FieldPath) throws -> IndexDefinition {
    let fields = [IndexedField(field, .ascending), IndexedField(order, .ascending)]
    return try IndexDefinition(collectionID: "c", scope: .collection, fields: fields)
  }

  @Test func `a missing index is counted until it is there, and then its queries are`() throws {
    let fixture = try StoreFixture { $0.requireIndexes = true }
    defer { try? fixture.close() }
    let database = try fixture.database
    let began = fixture.storage.clock.clock.now()
    let query = Self.query("a", by: "n")
    for _ in 0..<2 {
      fixture.storage.clock.advance(by: 5)
      #expect(throws: ServiceError.self) { try database.query(query).next() }
    }
    let before = database.indexUses
    #expect(before.since == began)
    #expect(before.used.isEmpty)
    #expect(before.missing.map(\.index) == [.composite(try Self.index("a", "n"))])
    #expect(before.missing.first?.count == .init(queries: 2, last: began + 10))
    let index = try database.declareIndex(try Self.index("a", "n"))
    let cursor = try database.query(query)
    _ = try cursor.plan()
    while try !cursor.next(maxDocuments: 1).isDone {}
    let after = database.indexUses
    #expect(after.missing.isEmpty)
    // Once, however often it was asked for its plan and its parts.
    #expect(after.used == [index.id: .init(queries: 1, last: began + 10)])
    try database.deleteIndex(index.id)
    #expect(database.indexUses.used.isEmpty)
  }

  @Test func `of too many missing indexes the one asked for longest ago goes`() throws {
    let fixture = try StoreFixture { $0.requireIndexes = false }
    defer { try? fixture.close() }
    let database = try fixture.database
    for number in 0...IndexUses.mostMissing {
      fixture.storage.clock.advance(by: 1)
      _ = try database.query(Self.query(FieldPath([Text("f\(number)")]), by: "n")).next()
    }
    let missing = Set(database.indexUses.missing.map(\.index))
    #expect(missing.count == IndexUses.mostMissing)
    #expect(!missing.contains(.composite(try Self.index("f0", "n"))))
    #expect(missing.contains(.composite(try Self.index("f1", "n"))))
  }

  @Test func `an index whose fields' names are long is not kept`() throws {
    let fixture = try StoreFixture { $0.requireIndexes = false }
    defer { try? fixture.close() }
    let database = try fixture.database
    let long = (0..<3).map { FieldPath([Text(String(repeating: "\($0)", count: 1_400))]) }
    var query = Self.query(long[0], by: "n")
    query.orders = long.dropFirst().map { Order($0) }
    _ = try database.query(query).next()
    #expect(database.indexUses.missing.isEmpty)
  }
}
