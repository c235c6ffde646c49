import Foundation
import DocumentCodec
import FirestoreModel
import Testing

@testable import DocumentStore

@Suite struct MissingIndexTests {
  private let id = DatabaseID(project: "demo")

  private func message(
    of query: Query,
    state: IndexState? = nil,
    in database: DatabaseID = DatabaseID(project: "demo")
  ) throws -> String? {
    var declared: [DeclaredIndex] = []
    if let state {
      let fields = [
        IndexedField(FieldPath(["userId"]), .ascending),
        IndexedField(FieldPath(["name"]), .ascending),
      ]
      let definition = try IndexDefinition(
        collectionID: "products",
        scope: .collection,
        fields: fields
      )
      declared = [DeclaredIndex(number: 35, definition: definition, state: state)]
    }
    let set = IndexSet(generation: 1, incarnation: 1, declared: declared)
    let planner = Planner(
      indexes: set,
      query: try query.normalized(),
      version: CommitVersion(microseconds: 100)
    )
    return planner.plan().missingIndex?.message(in: database)
  }

  private var seedQuery: Query {
    var query = Query(scope: .collection("products"))
    query.filter = .field(FieldPath(["userId"]), .equal, .text("u"))
    query.orders = [Order(FieldPath(["name"]))]
    return query
  }

  @Test func `a composite index is named with the link that creates it`() throws {
    let message = try #require(try message(of: seedQuery))
    let start =
      "The query requires an index. You can create it here: "
      + "https://console.firebase.google.com/v1/r/project/demo/firestore/indexes?create_composite="
    #expect(message.hasPrefix(start))
    let index = try decode(String(message.dropFirst(start.count)))
    #expect(
      index
        == "projects/demo/databases/(default)/collectionGroups/products/indexes/_ scope 1 "
        + "userId order 1, name order 1, __name__ order 1"
    )
  }

  @Test func `the link's bytes are the ones that production sends`() throws {
    var query = Query(scope: .collection("c"))
    query.filter = .field(FieldPath(["a"]), .equal, .integer(1))
    query.orders = [Order(FieldPath(["b"]), .descending)]
    let message = try #require(try message(of: query))
    // Index {name, scope COLLECTION, fields a ASC, b DESC, __name__ DESC}, made by hand.
    let expected =
      "Cj5wcm9qZWN0cy9kZW1vL2RhdGFiYXNlcy8oZGVmYXVsdCkvY29sbGVjdGlvbkdyb3Vwcy9jL2luZGV4ZXMvXxAB"
      + "GgUKAWEQARoFCgFiEAIaDAoIX19uYW1lX18QAg"
    #expect(message.hasSuffix("create_composite=\(expected)"))
  }

  @Test func `an index that is being built is named by its id`() throws {
    let message = try #require(try message(of: seedQuery, state: .creating))
    let start =
      "The query requires an index. That index is currently building and cannot be used yet. "
      + "See its status here: "
      + "https://console.firebase.google.com/v1/r/project/demo/firestore/indexes?create_composite="
    #expect(message.hasPrefix(start))
    #expect(try decode(String(message.dropFirst(start.count))).contains("/indexes/CICAgZ scope"))
  }

  @Test func `an index serves from the version at which it became ready`() throws {
    let early = CommitVersion(microseconds: 100)
    let late = CommitVersion(microseconds: 101)
    #expect(try message(of: seedQuery, state: .ready(since: early)) == nil)
    #expect(try message(of: seedQuery, state: .ready(since: late)) != nil)
    #expect(try message(of: seedQuery, state: .deleting) != nil)
  }

  @Test func `several inequality fields get the advice that goes with them`() throws {
    var query = Query(scope: .collection("c"))
    query.filter = .and([
      .field(FieldPath(["a"]), .greaterThan, .integer(1)),
      .field(FieldPath(["b"]), .lessThan, .integer(1)),
    ])
    let message = try #require(try message(of: query))
    let advice =
      " .\nThe query contains range and inequality filters on multiple fields, please refer to the "
      + "documentation for index selection best practices: "
      + "https://cloud.google.com/firestore/docs/query-data/multiple-range-fields."
    #expect(message.hasSuffix(advice))
  }

  @Test(arguments: [
    (Order.Direction.ascending, "COLLECTION_GROUP_ASC", "order 1"),
    (.descending, "COLLECTION_GROUP_DESC", "order 2"),
  ])
  func `a group's single field is named as an exemption`(
    direction: Order.Direction,
    mode: String,
    order: String
  ) throws {
    var query = Query(scope: .collectionGroup("c"))
    query.orders = [Order(FieldPath(["odd name", "x"]), direction)]
    let message = try #require(try message(of: query))
    let start =
      "The query requires a \(mode) index for collection c and field `odd name`.x. You can create "
      + "it here: https://console.firebase.google.com/v1/r/project/demo/firestore/indexes"
      + "?create_exemption="
    #expect(message.hasPrefix(start))
    #expect(
      try decode(String(message.dropFirst(start.count)))
        == "projects/demo/databases/(default)/collectionGroups/c/fields/`odd name`.x scope 2 "
        + "`odd name`.x \(order)"
    )
  }

  @Test func `another database has its own page`() throws {
    let other = DatabaseID(project: "demo", database: "eu")
    let message = try #require(try message(of: seedQuery, in: other))
    #expect(message.contains("/firestore/databases/eu/indexes?create_composite="))
  }

  @Test func `the log's entry is one of the definitions file`() throws {
    let set = IndexSet(generation: 1, incarnation: 1)
    let version = CommitVersion(microseconds: 1)
    let planner = Planner(indexes: set, query: try seedQuery.normalized(), version: version)
    let entry = try #require(planner.plan().missingIndex?.entry)
    let file = try IndexDefinitionsFile(parsing: "{\"indexes\": [\(entry)]}")
    #expect(file.indexes.map(\.collectionID) == ["products"])
    #expect(file.indexes.first?.fields.map(\.path.canonicalString) == ["userId", "name"])
  }

  /// `google.firestore.admin.v1.Index` in words.
  private func decode(_ base64url: String) throws -> String {
    #expect(!base64url.contains { "+/=".contains($0) })
    var text = base64url.replacing("-", with: "+").replacing("_", with: "/")
    while text.count % 4 != 0 { text += "=" }
    let bytes = [UInt8](try #require(Data(base64Encoded: text)))
    return try bytes.withUnsafeBytes { raw in
      var reader = ProtobufReader(raw)
      var head = ""
      var fields: [String] = []
      while let field = try reader.nextField() {
        switch field {
        case 1: head += try reader.string()
        case 2: head += " scope \(try reader.int64())"
        case 3: fields.append(try self.field(try reader.content()))
        default: Issue.record("field \(field)")
        }
      }
      return head + " " + fields.joined(separator: ", ")
    }
  }

  private func field(_ message: UnsafeRawBufferPointer) throws -> String {
    var reader = ProtobufReader(message)
    var words = ""
    while let field = try reader.nextField() {
      switch field {
      case 1: words += try reader.string()
      case 2: words += " order \(try reader.int64())"
      case 3: words += " array \(try reader.int64())"
      default: Issue.record("field \(field)")
      }
    }
    return words
  }
}
