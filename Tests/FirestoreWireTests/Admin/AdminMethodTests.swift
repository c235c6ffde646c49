import BaseStatus
import FirestoreModel
import SwiftProtobuf
import Testing

@testable import FirestoreWire

@Suite("The administration API over gRPC")
struct AdminMethodTests {
  private static let database = DatabaseID(project: "p", database: "d")
  private static let group = "projects/p/databases/d/collectionGroups/c"

  private static func call(_ method: AdminMethod, _ message: some Message) throws -> AdminCall? {
    let bytes: [UInt8] = try message.serializedBytes()
    let request = AdminRequest.grpc(method, message: bytes)
    #expect(try request.project() == "p")
    return try request.call()
  }

  private static func named(_ name: String) -> Google_Longrunning_GetOperationRequest {
    .with { $0.name = name }
  }

  @Test func `names become what they name`() throws {
    #expect(
      try Self.call(.listDatabases, Self.named("projects/p")) == .listDatabases(project: "p")
    )
    #expect(
      try Self.call(.getDatabase, Self.named("projects/p/databases/d"))
        == .getDatabase(Self.database)
    )
    let index = AdminCall.getIndex(Self.database, collectionGroup: "c", id: "7")
    #expect(try Self.call(.getIndex, Self.named("\(Self.group)/indexes/7")) == index)
    let field = AdminCall.getField(Self.database, collectionGroup: "c", path: "`a/b`.c")
    #expect(try Self.call(.getField, Self.named("\(Self.group)/fields/`a/b`.c")) == field)
    let operation = AdminCall.getOperation(Self.database, id: "o")
    let name = "projects/p/databases/d/operations/o"
    #expect(try Self.call(.getOperation, Self.named(name)) == operation)
  }

  @Test func `messages say the rest`() throws {
    let created = Google_Firestore_Admin_V1_CreateDatabaseRequest.with {
      $0.parent = "projects/p"
      $0.databaseID = "d"
      $0.database.type = .firestoreNative
    }
    #expect(
      try Self.call(.createDatabase, created)
        == .createDatabase(Self.database, .with { $0.type = .firestoreNative })
    )
    let deleted = Google_Firestore_Admin_V1_DeleteDatabaseRequest.with {
      $0.name = "projects/p/databases/d"
      $0.etag = "e"
    }
    #expect(
      try Self.call(.deleteDatabase, deleted) == .deleteDatabase(Self.database, etag: "e")
    )
    let changed = Google_Firestore_Admin_V1_UpdateFieldRequest.with {
      $0.field.name = "\(Self.group)/fields/f"
      $0.field.ttlConfig = .init()
      $0.updateMask.paths = ["ttl_config"]
    }
    #expect(
      try Self.call(.updateField, changed)
        == .updateField(
          Self.database,
          collectionGroup: "c",
          path: "f",
          changed.field,
          mask: ["ttl_config"]
        )
    )
    let page = Google_Longrunning_ListOperationsRequest.with {
      $0.name = "projects/p/databases/d"
      $0.filter = "f"
      $0.pageSize = 3
      $0.pageToken = "t"
    }
    let listed = AdminCall.Page(filter: "f", size: 3, token: "t")
    #expect(try Self.call(.listOperations, page) == .listOperations(Self.database, listed))
  }

  @Test(arguments: [
    "", "projects", "projects/", "projects//x", "x/p/databases/d", "projects/p/databases",
    "projects/p/databases/d/collectionGroups", "projects/p/databases/d/documents/a",
  ])
  func `other names are refused, before or with what they lack`(name: String) throws {
    let bytes: [UInt8] = try Self.named(name).serializedBytes()
    let request = AdminRequest.grpc(.getIndex, message: bytes)
    #expect(throws: ServiceError.self) { _ = (try request.project(), try request.call()) }
  }

  @Test(arguments: AdminMethod.allCases)
  func `bytes that are no message are refused`(method: AdminMethod) {
    let request = AdminRequest.grpc(method, message: [0x0A, 0xFF, 0xFF])
    #expect {
      _ = try request.project()
    } throws: {
      ($0 as? ServiceError)?.code == .invalidArgument
    }
  }

  @Test func `every method has its service's path, and only those that change nothing are reading`()
  {
    #expect(AdminMethod.getIndex.path == "/google.firestore.admin.v1.FirestoreAdmin/GetIndex")
    #expect(AdminMethod.getOperation.path == "/google.longrunning.Operations/GetOperation")
    for method in AdminMethod.allCases {
      let isReading = method.rawValue.hasPrefix("Get") || method.rawValue.hasPrefix("List")
      #expect(method.isReading == isReading)
    }
  }
}
