import BaseStatus
import BaseText
import FirestoreModel
import Testing

@testable import FirestoreService

struct AdminServiceTests {
  private static let group = "/v1/projects/p/databases/(default)/collectionGroups/c"
  private static let index =
    #"{"queryScope":"COLLECTION","fields":[{"fieldPath":"a","order":"ASCENDING"},"#
    + #"{"fieldPath":"b","order":"DESCENDING"}]}"#

  @Test func `an index lives from its creation to its deletion`() async throws {
    let fixture = try ServiceFixture()
    let made = try await fixture.administer("POST", "\(Self.group)/indexes", Self.index)
    let operation = try #require(made)
    #expect(operation.contains("/operations/index-") && operation.contains("\"done\":true"))
    let list = try await fixture.administer("GET", "\(Self.group)/indexes")
    #expect(list?.contains("\"state\":\"READY\"") == true)
    #expect(list?.contains("\"fieldPath\":\"__name__\",\"order\":\"DESCENDING\"") == true)
    let name = try #require(
      fixture.databases.database(DatabaseID(project: "p")).indexes.current.declared.first?.id
    )
    #expect(try await fixture.administer("GET", "\(Self.group)/indexes/\(name)") != nil)
    let status = try await fixture.administer(
      "GET",
      "/v1/projects/p/databases/(default)/operations/index-\(name)"
    )
    #expect(status?.contains("\"done\":true") == true)
    #expect(try await fixture.administer("DELETE", "\(Self.group)/indexes/\(name)") == "{}")
    await #expect(throws: ServiceError.self) {
      try await fixture.administer("GET", "\(Self.group)/indexes/\(name)")
    }
    fixture.close()
  }

  @Test(arguments: [
    (#"{"queryScope":"COLLECTION_RECURSIVE","fields":[{"fieldPath":"a","order":"ASCENDING"}]}"#),
    (#"{"fields":[{"fieldPath":"a","vectorConfig":{"dimension":3}}]}"#),
    (#"{"fields":[{"fieldPath":"a","vectorConfig":{"dimension":2049,"flat":{}}}]}"#),
    (#"{"fields":[]}"#),
    (#"{"fields":[{"fieldPath":"a..b","order":"ASCENDING"}]}"#),
  ])
  func `an index that this server has not is refused`(body: String) async throws {
    let fixture = try ServiceFixture()
    let error = await #expect(throws: ServiceError.self) {
      try await fixture.administer("POST", "\(Self.group)/indexes", body)
    }
    #expect(error?.code == .invalidArgument)
    fixture.close()
  }

  @Test func `an index is made once`() async throws {
    let fixture = try ServiceFixture()
    _ = try await fixture.administer("POST", "\(Self.group)/indexes", Self.index)
    let error = await #expect(throws: ServiceError.self) {
      try await fixture.administer("POST", "\(Self.group)/indexes", Self.index)
    }
    #expect(error?.code == .alreadyExists)
    fixture.close()
  }

  @Test func `a path that is not the administration API's has no answer`() async throws {
    let fixture = try ServiceFixture()
    #expect(try await fixture.administer("GET", "/v1/elsewhere") == nil)
    fixture.close()
  }

  @Test(arguments: [
    ("(default)", true), ("orders", true), ("a-1-b", true), ("abc", false), ("Orders", false),
    ("1abc", false), ("abcd-", false), ("", false), ("(other)", false), ("ab cd", false),
    (String(repeating: "a", count: 63), true), (String(repeating: "a", count: 64), false),
  ])
  func `a new database's id follows the rule`(id: String, isLegal: Bool) {
    let database = DatabaseID(project: "p", database: Text(id))
    if isLegal {
      #expect(throws: Never.self) { try database.checkCreatable() }
    } else {
      #expect(throws: ServiceError.self) { try database.checkCreatable() }
    }
  }
}
