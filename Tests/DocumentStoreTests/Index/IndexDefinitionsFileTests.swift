import BaseStatus
import BaseText
import FirestoreModel
import Testing

@testable import DocumentStore

@Suite struct IndexDefinitionsFileTests {
  @Test func `what is printed is what the Firebase CLI writes, and reads back`() throws {
    let text = """
      {
        "indexes": [
          {
            "collectionGroup": "products",
            "queryScope": "COLLECTION",
            "fields": [
              { "fieldPath": "userId", "order": "ASCENDING" },
              { "fieldPath": "tags", "arrayConfig": "CONTAINS" },
              { "fieldPath": "`odd name`.x", "order": "DESCENDING" }
            ]
          },
          {
            "collectionGroup": "c",
            "queryScope": "COLLECTION_GROUP",
            "fields": [
              { "fieldPath": "a", "order": "ASCENDING" },
              { "fieldPath": "__name__", "order": "DESCENDING" }
            ]
          }
        ],
        "fieldOverrides": [
          {
            "collectionGroup": "c",
            "fieldPath": "*",
            "indexes": []
          },
          {
            "collectionGroup": "c",
            "fieldPath": "a",
            "indexes": [
              { "order": "ASCENDING", "queryScope": "COLLECTION" },
              { "arrayConfig": "CONTAINS", "queryScope": "COLLECTION_GROUP" }
            ]
          }
        ]
      }

      """
    let file = try IndexDefinitionsFile(parsing: text)
    #expect(file.indexes.count == 2)
    #expect(file.overrides.map(\.indexes.count) == [0, 2])
    #expect(file.text == text)
  }

  @Test func `a file with a vectorConfig is read and printed`() throws {
    let text = """
      {
        "indexes": [
          {
            "collectionGroup": "c",
            "queryScope": "COLLECTION",
            "fields": [
              { "fieldPath": "color", "order": "ASCENDING" },
              {
                "fieldPath": "embedding",
                "vectorConfig": {
                  "dimension": 3,
                  "flat": {}
                }
              }
            ]
          },
          {
            "collectionGroup": "c",
            "queryScope": "COLLECTION_GROUP",
            "fields": [
              {
                "fieldPath": "embedding",
                "vectorConfig": {
                  "dimension": 2048,
                  "flat": {}
                }
              }
            ]
          }
        ],
        "fieldOverrides": []
      }

      """
    let file = try IndexDefinitionsFile(parsing: text)
    #expect(file.indexes.map(\.vector?.dimension) == [3, 2048])
    #expect(file.indexes.map(\.fields.count) == [1, 0])
    #expect(try IndexDefinitionsFile(parsing: file.text) == file)
  }

  @Test func `the name's direction follows the last field unless it is given`() throws {
    let one = try IndexDefinitionsFile(
      parsing: """
        {"indexes":[{"collectionGroup":"c","queryScope":"COLLECTION","density":"SPARSE_ALL",
        "fields":[{"fieldPath":"a","order":"DESCENDING"}]}]}
        """
    )
    let two = try IndexDefinitionsFile(
      parsing: """
        {"indexes":[{"collectionGroup":"c","fields":[{"fieldPath":"a","order":"DESCENDING"},
        {"fieldPath":"__name__","order":"DESCENDING"}]}]}
        """
    )
    #expect(one == two)
  }

  @Test func `densities are kept and the usual one is left out`() throws {
    func text(_ density: String) -> String {
      #"{"indexes":[{"collectionGroup":"c",\#(density)"fields":["#
        + #"{"fieldPath":"a","order":"ASCENDING"},{"fieldPath":"b","order":"DESCENDING"}]}]}"#
    }
    for density in IndexDensity.allCases {
      let file = try IndexDefinitionsFile(parsing: text(#""density":"\#(density.name)","#))
      #expect(file.indexes.map(\.density) == [density])
      #expect(try IndexDefinitionsFile(parsing: file.text) == file)
      #expect(file.text.contains("density") == (density != .sparseAll))
    }
    #expect(try IndexDefinitionsFile(parsing: text("")).indexes.map(\.density) == [.sparseAll])
  }

  @Test func `an index of nothing but names descending is one`() throws {
    let text = """
      {"indexes":[{"collectionGroup":"c","queryScope":"COLLECTION","fields":[
      {"fieldPath":"__name__","order":"DESCENDING"}]}]}
      """
    let file = try IndexDefinitionsFile(parsing: text)
    #expect(file.indexes.map(\.fields.isEmpty) == [true])
    #expect(try IndexDefinitionsFile(parsing: file.text) == file)
  }

  @Test(arguments: [
    (
      #"{"indexes":[{"collectionGroup":"c","fields":[{"fieldPath":"__name__","order":"ASCENDING"}]}]}"#,
      "an index needs at least one field"
    ),
    (
      #"{"indexes":[{"collectionGroup":"c","fields":[{"fieldPath":"e","vectorConfig":{"dimension":3}}]}]}"#,
      "indexes[0].fields[0].vectorConfig.flat is missing."
    ),
    (
      #"{"indexes":[{"collectionGroup":"c","fields":[{"fieldPath":"e","vectorConfig":"#
        + #"{"dimension":0,"flat":{}}}]}]}"#,
      "a vector field must have 1 to 2048 dimensions"
    ),
    (
      #"{"indexes":[{"collectionGroup":"c","fields":[{"fieldPath":"e","vectorConfig":"#
        + #"{"dimension":3,"flat":{}}},{"fieldPath":"a","order":"ASCENDING"}]}]}"#,
      "a vector field must be the last of an index"
    ),
    (
      #"{"fieldOverrides":[{"collectionGroup":"c","fieldPath":"e","ttl":1,"indexes":[]}]}"#,
      "fieldOverrides[0].ttl must be true or false."
    ),
    (
      #"{"indexes":[{"collectionGroup":"c","queryScope":"COLLECTION_RECURSIVE","fields":[]}]}"#,
      #"indexes[0].queryScope: "COLLECTION_RECURSIVE" is not supported."#
    ),
    (#"{"indexes":[{"collectionGroup":"c","fields":[]}]}"#, "an index needs at least one field"),
    (#"{"indexes":[{"fields":[]}]}"#, "indexes[0].collectionGroup is missing."),
    (
      #"{"indexes":[{"collectionGroup":"c","fields":[{"fieldPath":"a"}]}]}"#,
      "indexes[0].fields[0].order is missing."
    ),
    (
      #"{"indexes":[{"collectionGroup":"c","density":"THICK","fields":[]}]}"#,
      #"indexes[0].density: "THICK" is not supported."#
    ),
    (
      #"{"indexes":[{"collectionGroup":"c","density":"DENSE","fields":["#
        + #"{"fieldPath":"a","arrayConfig":"CONTAINS"}]}]}"#,
      "an index with the density DENSE must have fields with an order, and no others"
    ),
    (#"{"index":[]}"#, "index is not supported."),
    (#"{"indexes":{}}"#, "indexes must be a list."),
    ("[]", "the file must be an object."),
    ("{\n\"indexes\": [\n}", "The file is not valid JSON: line 3: Expected a value."),
    (#"{"indexes":[]} x"#, "The file is not valid JSON: line 1: Unexpected token."),
  ])
  func `what is not supported is refused by name`(text: String, message: String) {
    let error = #expect(throws: ServiceError.self) { try IndexDefinitionsFile(parsing: text) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message == message)
  }

  private static func index(_ field: String, name: String = "") -> String {
    """
    {"collectionGroup":"c","fields":[{"fieldPath":"\(field)","order":"ASCENDING"},
    {"fieldPath":"z","order":"DESCENDING"}\(name)]}
    """
  }

  @Test func `what a file spells twice counts once`() throws {
    let fixture = try QueryFixture()
    let name = #",{"fieldPath":"__name__","order":"DESCENDING"}"#
    let list = [Self.index("a"), Self.index("b"), Self.index("a", name: name)]
    let overrides = #"{"collectionGroup":"c","fieldPath":"a","indexes":[]}"#
    let file = try IndexDefinitionsFile(
      parsing: #"{"indexes":[\#(list.joined(separator: ","))],"#
        + #""fieldOverrides":[\#(overrides),\#(overrides)]}"#
    )
    try fixture.database.apply(file)
    #expect(fixture.database.indexDefinitions.indexes.count == 2)
    #expect(fixture.database.indexDefinitions.overrides.count == 1)
  }

  @Test func `of a file that is refused nothing is applied`() throws {
    let fixture = try QueryFixture()
    func definition(_ number: Int) throws -> IndexDefinition {
      try IndexDefinition(
        collectionID: Text("c"),
        scope: .collection,
        parts: ["a\(number)", "z"].map {
          .field(IndexedField(try FieldPath(parsing: $0), .ascending))
        }
      )
    }
    let file = IndexDefinitionsFile(indexes: try (0...IndexLimits.declared).map(definition))
    let generation = fixture.database.indexes.current.generation
    let error = #expect(throws: ServiceError.self) { try fixture.database.apply(file) }
    #expect(error?.code == .resourceExhausted)
    let reserved = IndexDefinitionsFile(
      indexes: [try definition(0)],
      overrides: [
        .init(collectionID: Text("__x__"), field: try FieldPath(parsing: "a"), indexes: [])
      ]
    )
    #expect(throws: ServiceError.self) { try fixture.database.apply(reserved) }
    #expect(fixture.database.indexDefinitions == IndexDefinitionsFile())
    #expect(fixture.database.indexes.current.generation == generation)
  }

  @Test func `a file is applied, and what it does not have deleted`() throws {
    let fixture = try QueryFixture()
    let file = try IndexDefinitionsFile(
      parsing: """
        {"indexes":[{"collectionGroup":"c","fields":[{"fieldPath":"a","order":"ASCENDING"},
        {"fieldPath":"b","order":"DESCENDING"}]}],
        "fieldOverrides":[{"collectionGroup":"c","fieldPath":"a","indexes":[]}]}
        """
    )
    try fixture.database.apply(file)
    try fixture.database.apply(file)
    #expect(fixture.database.indexDefinitions == file)
    try fixture.database.apply(IndexDefinitionsFile(), deletingOthers: true)
    while try fixture.database.performIndexMaintenance() {}
    #expect(fixture.database.indexDefinitions == IndexDefinitionsFile())
    #expect(fixture.database.indexes.current.declared.isEmpty)
    #expect(fixture.database.indexes.current.overrides.isEmpty)
  }
}
