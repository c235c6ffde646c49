import BaseText
import DocumentCodec
import FirebaseFirestore
import FirestoreModel
import FirestoreSync
import Foundation
import Testing

/// Tests of the queries that apps make, and of those that are refused.
struct QueryTests {
  private static func firestore() throws -> Firestore {
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    options.projectID = "shop"
    let name = "queries-\(UUID().uuidString)"
    return Firestore.firestore(app: try FirebaseApp.configured(name: name, options: options))
  }

  private func products() throws -> CollectionReference {
    try Self.firestore().collection("shops/one/products")
  }

  private func path(_ names: Text...) -> FirestoreModel.FieldPath { .init(names) }

  @Test func `a collection is the query for all of it`() throws {
    let products = try products()
    #expect(products.definition.parent == ResourcePath(["shops", "one"]))
    #expect(products.definition.scope == .collection("products"))
    #expect(products == products.firestore.collection("shops/one/products"))
    let group = products.firestore.collectionGroup("products")
    #expect(group.definition.scope == .collectionGroup("products"))
    #expect(group.definition.parent.isRoot && group != products)
  }

  @Test func `every operator is a filter`() throws {
    let all = try products()
    let cases: [(FirebaseFirestore.Query, FirestoreModel.Filter)] = [
      (all.whereField("a", isEqualTo: 1), .field(path("a"), .equal, .integer(1))),
      (all.whereField("a", isNotEqualTo: "x"), .field(path("a"), .notEqual, .string("x"))),
      (all.whereField("a", isLessThan: 1.5), .field(path("a"), .lessThan, .double(1.5))),
      (
        all.whereField("a", isLessThanOrEqualTo: 1),
        .field(path("a"), .lessThanOrEqual, .integer(1))
      ),
      (all.whereField("a", isGreaterThan: true), .field(path("a"), .greaterThan, .boolean(true))),
      (
        all.whereField("a", isGreaterThanOrEqualTo: 1),
        .field(path("a"), .greaterThanOrEqual, .integer(1))
      ),
      (all.whereField("a", arrayContains: 1), .field(path("a"), .arrayContains, .integer(1))),
      (
        all.whereField("a", arrayContainsAny: [1, 2]),
        .field(path("a"), .arrayContainsAny, .array([.integer(1), .integer(2)]))
      ),
      (
        all.whereField("a.b", in: [[1], "x"]),
        .field(path("a", "b"), .in, .array([.array([.integer(1)]), .string("x")]))
      ),
      (all.whereField("a", notIn: [1]), .field(path("a"), .notIn, .array([.integer(1)]))),
      (all.whereField("a", isEqualTo: NSNull()), .unary(path("a"), .isNull)),
      (all.whereField("a", isNotEqualTo: NSNull()), .unary(path("a"), .isNotNull)),
      (all.whereField("a", isEqualTo: Double.nan), .unary(path("a"), .isNaN)),
      (all.whereField("a", isNotEqualTo: Double.nan), .unary(path("a"), .isNotNaN)),
      (
        all.whereField(FirebaseFirestore.FieldPath(["a.b"]), isEqualTo: 1),
        .field(path("a.b"), .equal, .integer(1))
      ),
    ]
    for (query, filter) in cases { #expect(query.definition.filter == filter) }
  }

  @Test func `filters come together`() throws {
    let query = try products().whereField("a", isEqualTo: 1).whereField("b", isEqualTo: 2)
      .whereFilter(.orFilter([.whereField("c", isGreaterOrEqualTo: 3), .whereField("d", in: [4])]))
    let expected = FirestoreModel.Filter.and([
      .field(path("a"), .equal, .integer(1)), .field(path("b"), .equal, .integer(2)),
      .or([
        .field(path("c"), .greaterThanOrEqual, .integer(3)),
        .field(path("d"), .in, .array([.integer(4)])),
      ]),
    ])
    #expect(query.definition.filter == expected)
    #expect(throws: Never.self) { try query.definition.normalized() }
  }

  @Test func `ids become names of documents`() throws {
    let products = try products()
    let id = FirebaseFirestore.FieldPath.documentID()
    let reference = products.document("p1")
    let byText = products.whereField(id, isEqualTo: "p1")
    let expected = FirestoreModel.Filter.field(.documentName, .equal, .reference(reference.name))
    #expect(byText.definition.filter == expected)
    #expect(products.whereField(id, isEqualTo: reference) == byText)
    let list = products.whereField(id, in: ["p1", reference])
    let names = Value.array([.reference(reference.name), .reference(reference.name)])
    #expect(list.definition.filter == .field(.documentName, .in, names))
    let group = products.firestore.collectionGroup("products")
      .whereField(id, isEqualTo: "shops/one/products/p1")
    #expect(group.definition.filter == expected)
  }

  @Test func `orders, limits and cursors make the window`() throws {
    let query = try products().order(by: "price", descending: true)
      .order(by: FirebaseFirestore.FieldPath.documentID()).start(at: [10, "p1"]).end(before: [5])
      .limit(to: 3)
    let definition = query.definition
    #expect(definition.orders == [Order(path("price"), .descending), Order(.documentName)])
    let name = try products().document("p1").name
    #expect(definition.start == Cursor(values: [.integer(10), .reference(name)], before: true))
    #expect(definition.end == Cursor(values: [.integer(5)], before: true))
    #expect(definition.limit == 3 && !query.keepsLast)
    let last = try products().order(by: "price").limit(toLast: 2)
    #expect(last.keepsLast && last.definition.limit == 2)
    #expect(try products().order(by: "a").start(after: [1]).definition.start?.before == false)
    #expect(try products().order(by: "a").end(at: [1]).definition.end?.before == false)
  }

  @Test func `a document is a position in the whole order`() throws {
    let products = try products()
    let document = DocumentSnapshot(
      products.document("p1"),
      CachedDocument(
        name: products.document("p1").name,
        content: .found(
          DocumentFields(encoding: MapValue([.init(key: "price", value: .integer(7))]))
        )
      ),
      SnapshotMetadata(hasPendingWrites: false, isFromCache: false)
    )
    let query = products.whereField("price", isGreaterThan: 1).start(afterDocument: document)
    #expect(query.definition.orders == [Order(path("price")), Order(.documentName)])
    let values: [Value] = [.integer(7), .reference(document.reference.name)]
    #expect(query.definition.start == Cursor(values: values, before: false))
    #expect(throws: Never.self) { try query.definition.normalized() }
  }

  @Test func `a document as a cursor is no order of the app's`() throws {
    let products = try products()
    let document = DocumentSnapshot(
      products.document("p1"),
      CachedDocument(
        name: products.document("p1").name,
        content: .found(DocumentFields(encoding: MapValue()))
      ),
      SnapshotMetadata(hasPendingWrites: false, isFromCache: false)
    )
    let query = products.start(atDocument: document).limit(toLast: 2)
    #expect(throws: (any Error).self) { try query.check() }
    let ordered = products.order(by: FirebaseFirestore.FieldPath.documentID())
    #expect(throws: Never.self) {
      try ordered.start(atDocument: document).limit(toLast: 2).check()
    }
  }

  @Test func `queries are equal by what they ask for`() throws {
    let all = try products()
    #expect(all.whereField("a", isEqualTo: 1) == all.whereField("a", isEqualTo: 1))
    #expect(all.whereField("a", isEqualTo: 1).hash == all.whereField("a", isEqualTo: 1).hash)
    #expect(all.whereField("a", isEqualTo: 1) != all.whereField("a", isEqualTo: 2))
    #expect(all.order(by: "a").limit(to: 1) != all.order(by: "a").limit(toLast: 1))
    #expect(
      all.whereField("a", isGreaterThan: 1).order(by: "a") == all.whereField("a", isGreaterThan: 1)
    )
    #expect(try products() != all)
  }

  @Test func `what is no query traps`() async {
    await #expect(processExitsWith: .failure) { _ = try Self.all().limit(to: 0) }
    await #expect(processExitsWith: .failure) { _ = try Self.all().limit(toLast: -1) }
    await #expect(processExitsWith: .failure) {
      _ = try Self.all().order(by: "a").start(at: [1]).order(by: "b")
    }
    await #expect(processExitsWith: .failure) { _ = try Self.all().start(at: [1]) }
    await #expect(processExitsWith: .failure) { _ = try Self.all().whereField("a", in: []) }
    await #expect(processExitsWith: .failure) {
      _ = try Self.all().whereField("a", isNotEqualTo: 1).whereField("b", notIn: [1])
    }
    await #expect(processExitsWith: .failure) {
      _ = try Self.all().whereField(FirebaseFirestore.FieldPath.documentID(), isEqualTo: "a/b")
    }
    await #expect(processExitsWith: .failure) {
      _ = try Self.all().whereField(FirebaseFirestore.FieldPath.documentID(), arrayContains: "a")
    }
    await #expect(processExitsWith: .failure) {
      _ = try Self.all().whereField("a..b", isEqualTo: 1)
    }
  }

  @Test func `documents of another database are no operands`() async throws {
    let text = "Document Reference is for database other/(default) but should be for"
    let filter = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.all().whereField("a", in: [Coding.otherDocument("a/b")])
    }
    #expect(Self.errors(try #require(filter)).contains(text))
    let cursor = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.all().order(by: "a").start(at: [Coding.otherDocument("a/b")])
    }
    #expect(Self.errors(try #require(cursor)).contains(text))
  }

  @Test func `what traps says why`() async throws {
    let group = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.firestore().collectionGroup("a/b")
    }
    #expect(
      Self.errors(try #require(group))
        .contains("Invalid collection ID (a/b). Collection IDs must not contain / in them.")
    )
    let limit = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = try Self.all().limit(to: 0)
    }
    #expect(
      Self.errors(try #require(limit))
        .contains("Invalid Query. Query limit (0) is invalid. Limit must be positive.")
    )
    let last = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      try Self.all().limit(toLast: 1).getDocuments { _, _ in }
    }
    #expect(
      Self.errors(try #require(last))
        .contains("limit(toLast:) queries require specifying at least one OrderBy() clause.")
    )
  }

  private static func errors(_ exit: ExitTest.Result) -> String {
    String(decoding: exit.standardErrorContent, as: UTF8.self)
  }

  private static func all() throws -> FirebaseFirestore.Query {
    try firestore().collection("products")
  }
}
