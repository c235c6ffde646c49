import FirestoreModel
import FirestoreWire
import SwiftProtobuf
import Testing

@Suite("The administration API over REST")
struct AdminTests {
  private static let base = "/v1/projects/p/databases"
  private static let indexes = base + "/(default)/collectionGroups/c/indexes"

  private static func call(
    _ method: String,
    _ path: String,
    query: String? = nil,
    body: String = ""
  ) throws -> AdminCall? {
    try AdminCall(method: method, path: path, query: query, body: Array(body.utf8))
  }

  @Test func `databases`() throws {
    #expect(try Self.call("GET", Self.base) == .listDatabases(project: "p"))
    var expected = Google_Firestore_Admin_V1_Database()
    expected.type = .firestoreNative
    let created = try Self.call(
      "POST",
      Self.base,
      query: "databaseId=other",
      body: #"{"type":"FIRESTORE_NATIVE"}"#
    )
    let other = DatabaseID(project: "p", database: "other")
    #expect(created == .createDatabase(other, expected))
    #expect(try Self.call("GET", Self.base + "/other") == .getDatabase(other))
    let deleted = try Self.call("DELETE", Self.base + "/other", query: "etag=e")
    #expect(deleted == .deleteDatabase(other, etag: "e"))
    var protected = Google_Firestore_Admin_V1_Database()
    protected.deleteProtectionState = .deleteProtectionEnabled
    let changed = try Self.call(
      "PATCH",
      Self.base + "/other",
      query: "updateMask=deleteProtectionState",
      body: #"{"deleteProtectionState":"DELETE_PROTECTION_ENABLED"}"#
    )
    #expect(changed == .updateDatabase(other, protected, mask: ["delete_protection_state"]))
  }

  @Test func `indexes`() throws {
    let page = try Self.call("GET", Self.indexes, query: "pageSize=2&pageToken=t&filter=f")
    guard case .listIndexes(database, "c", let request) = page else {
      Issue.record("no list")
      return
    }
    #expect(request.size == 2 && request.token == "t" && request.filter == "f")
    let created = try Self.call(
      "POST",
      Self.indexes,
      body: #"{"queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"},"#
        + #"{"fieldPath":"b","arrayConfig":"CONTAINS"},"#
        + #"{"fieldPath":"v","vectorConfig":{"dimension":3,"flat":{}}}]}"#
    )
    guard case .createIndex(database, "c", let index) = created else {
      Issue.record("no index")
      return
    }
    #expect(index.queryScope == .collection)
    #expect(index.fields.map(\.fieldPath) == ["a", "b", "v"])
    #expect(index.fields[0].order == .ascending && index.fields[1].arrayConfig == .contains)
    #expect(index.fields[2].vectorConfig.dimension == 3)
    let single = Self.indexes + "/7"
    #expect(try Self.call("GET", single) == .getIndex(database, collectionGroup: "c", id: "7"))
    let deleted = try Self.call("DELETE", single)
    #expect(deleted == .deleteIndex(database, collectionGroup: "c", id: "7"))
  }

  @Test func `fields and operations`() throws {
    let field = Self.base + "/(default)/collectionGroups/c/fields/a.%60b%60"
    let read = try Self.call("GET", field)
    #expect(read == .getField(database, collectionGroup: "c", path: "a.`b`"))
    let changed = try Self.call(
      "PATCH",
      field,
      query: "updateMask=indexConfig",
      body: #"{"indexConfig":{}}"#
    )
    var empty = Google_Firestore_Admin_V1_Field()
    empty.indexConfig = .init()
    #expect(
      changed
        == .updateField(
          database,
          collectionGroup: "c",
          path: "a.`b`",
          empty,
          mask: ["index_config"]
        )
    )
    var timed = Google_Firestore_Admin_V1_Field()
    timed.ttlConfig = .init()
    let masked = try Self.call(
      "PATCH",
      field,
      query: "updateMask=ttl_config,indexConfig",
      body: #"{"ttlConfig":{}}"#
    )
    #expect(
      masked
        == .updateField(
          database,
          collectionGroup: "c",
          path: "a.`b`",
          timed,
          mask: ["ttl_config", "index_config"]
        )
    )
    let operation = try Self.call("GET", Self.base + "/(default)/operations/o1")
    #expect(operation == .getOperation(database, id: "o1"))
  }

  @Test func `documents are not the administration's`() throws {
    #expect(try Self.call("GET", Self.base + "/(default)/documents/c/d") == nil)
    #expect(try Self.call("POST", Self.base + "/(default)/documents:commit") == nil)
    #expect(try Self.call("GET", "/healthz") == nil)
  }

  @Test(arguments: [
    ("PUT", "/(default)"), ("POST", "/(default):exportDocuments"),
    ("DELETE", "/(default)/collectionGroups/c/fields/a"), ("GET", "/(default)/userCreds"),
  ])
  func `what is not served says so`(method: String, path: String) {
    expectError(
      "This method of the administration API is not served.",
      code: .unimplemented
    ) { try Self.call(method, Self.base + path) }
  }

  @Test func `bad input`() {
    expectError(
      #"Invalid JSON payload received. Unknown name "extra" at 'index.fields[0]': "#
        + "Cannot find field."
    ) { try Self.call("POST", Self.indexes, body: #"{"fields":[{"extra":1}]}"#) }
    expectError("The parameter databaseId is required.") { try Self.call("POST", Self.base) }
    expectError("Invalid value at 'page_size' (TYPE_INT32), \"x\"") {
      try Self.call("GET", Self.indexes, query: "pageSize=x")
    }
    expectError(
      #"Invalid JSON payload received. Unknown name "foo": Cannot bind query parameter. "#
        + "Field 'foo' could not be found in request message."
    ) { try Self.call("GET", Self.indexes + "/7", query: "foo=1") }
  }

  @Test func `answers`() throws {
    var index = Google_Firestore_Admin_V1_Index()
    index.name = "n"
    index.queryScope = .collectionGroup
    index.state = .ready
    var field = Google_Firestore_Admin_V1_Index.IndexField()
    field.fieldPath = "a"
    field.order = .descending
    index.fields = [field]
    let json =
      #"{"name":"n","queryScope":"COLLECTION_GROUP","#
      + #""fields":[{"fieldPath":"a","order":"DESCENDING"}],"state":"READY"}"#
    #expect(string(try AdminResponse.index(index).json()) == json)
    let list = try AdminResponse.indexes([index], nextPageToken: "t").json()
    #expect(string(list) == #"{"indexes":[\#(json)],"nextPageToken":"t"}"#)
    #expect(string(try AdminResponse.empty.json()) == "{}")
    let operation = AdminResponse.Operation(
      name: "o",
      metadata: .createDatabase,
      outcome: .index(index)
    )
    let type = "type.googleapis.com/google.firestore.admin.v1."
    #expect(
      string(try AdminResponse.operation(operation).json())
        == #"{"name":"o","metadata":{"@type":"\#(type)CreateDatabaseMetadata"},"done":true,"#
        + #""response":{"@type":"\#(type)Index",\#(json.dropFirst())}"#
    )
  }
}
