import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel
import Testing

@testable import DocumentStore

/// Tests of Firestore's limits on a document's index entries.
@Suite struct IndexEntryLimitsTests {
  private static func set(
    _ fields: [IndexedField] = [],
    _ scope: IndexScope = .collection
  ) throws -> IndexSet {
    let declared =
      fields.isEmpty
      ? []
      : [
        DeclaredIndex(
          number: 7,
          definition: try IndexDefinition(collectionID: "c", scope: scope, fields: fields),
          state: .ready(since: .zero)
        )
      ]
    return IndexSet(generation: 1, incarnation: Incarnation(1), declared: declared)
  }

  private static func refusal(
    _ set: IndexSet,
    _ path: ResourcePath,
    _ map: MapValue
  ) -> ServiceError? {
    do throws(ServiceError) {
      _ = try set.allowedEntries(of: path, fields: DocumentFields(encoding: map))
      return nil
    } catch {
      return error
    }
  }

  private static func text(_ count: Int) -> Value {
    .string(Text(String(repeating: "x", count: count)))
  }

  private static func fields(_ count: Int, _ length: Int) -> MapValue {
    map((0..<count).map { ("f\($0)", text(length)) })
  }

  private static func map(_ entries: [(String, Value)]) -> MapValue {
    MapValue(entries.map { MapValue.Entry(key: Text($0.0), value: $0.1) })
  }

  @Test func `an entry of a declared index has a bound`() throws {
    let names = (0..<6).map { IndexedField(FieldPath([Text("f\($0)")]), .ascending) }
    let document = path("c/d")
    // Name 20, parent 16, and 32; six values of 1,200 are below 7,680, six of 1,300 are beyond.
    for scope in IndexScope.allCases {
      let set = try Self.set(names, scope)
      #expect(Self.refusal(set, document, Self.fields(6, 1_200)) == nil)
      let error = Self.refusal(set, document, Self.fields(6, 1_300))
      #expect(error?.code == .invalidArgument)
      #expect(error?.message == "index entry for entity is larger than 7680 bytes")
    }
    #expect(Self.refusal(try Self.set(), document, Self.fields(6, 1_300)) == nil)
  }

  @Test func `a value counts as far as the index holds it`() throws {
    let names = (0..<5).map { IndexedField(FieldPath([Text("f\($0)")]), .descending) }
    // Five values of 1,500 bytes and the names of the document and its parent: 7,584.
    #expect(Self.refusal(try Self.set(names), path("c/d"), Self.fields(5, 100_000)) == nil)
    let long = Text(String(repeating: "i", count: 200))
    let longer = ResourcePath(["c", long])
    let error = Self.refusal(try Self.set(names), longer, Self.fields(5, 100_000))
    #expect(error?.code == .invalidArgument)
  }

  @Test func `an automatic entry counts the document's name and its parent's`() throws {
    let id = Text(String(repeating: "i", count: 1_400))
    let deep = ResourcePath(["c", id, "s", id])
    let set = try Self.set()
    // Name 2,821, parent 1,419, field and value 3,000, and 32: 7,272.
    let name = String(repeating: "n", count: 1_450)
    #expect(Self.refusal(set, deep, Self.map([(name, Self.text(1_500))])) == nil)
    let deeper = ResourcePath(["c", id, "s", id, "t", "d"])
    let error = Self.refusal(set, deeper, Self.map([(name, Self.text(1_500))]))
    #expect(error?.message == "index entry for entity is larger than 7680 bytes")
    #expect(Self.refusal(set, deeper, Self.map([("n", .integer(1))])) == nil)
  }

  @Test func `all entries together have a bound`() throws {
    let elements = IndexedField(FieldPath(["a"]), .contains)
    let other = IndexedField(FieldPath(["t"]), .ascending)
    let set = try Self.set([elements, other])
    let many = Value.array((0..<6_000).map { .integer(Int64($0)) })
    // 6,000 entries of about 1,100 bytes, then of about 1,500.
    let small = Self.map([("a", many), ("t", Self.text(1_000))])
    #expect(Self.refusal(set, path("c/d"), small) == nil)
    let large = Self.map([("a", many), ("t", Self.text(1_500))])
    let error = Self.refusal(set, path("c/d"), large)
    #expect(error?.code == .invalidArgument)
    #expect(error?.message == "index entries for entity are larger than 8388608 bytes together")
  }

  @Test func `a document that has too much since an index was declared can be deleted`() throws {
    let fixture = try QueryFixture()
    let names = (0..<6).map { IndexedField(FieldPath([Text("f\($0)")]), .ascending) }
    try fixture.write([(path("c/d"), Self.fields(6, 1_400))])
    try fixture.database.declareIndex(
      try IndexDefinition(collectionID: "c", scope: .collection, fields: names)
    )
    while try fixture.database.performIndexMaintenance() {}
    let error = #expect(throws: ServiceError.self) {
      try fixture.write([(path("c/d"), Self.fields(6, 1_401))])
    }
    #expect(error?.code == .invalidArgument)
    try fixture.write([(path("c/d"), Self.fields(5, 1_400))])
    try fixture.verifyIndexes("smaller")
    try fixture.write([(path("c/d"), nil)])
    try fixture.verifyIndexes("deleted")
  }
}
