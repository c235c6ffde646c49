import BaseStatus
import DocumentCodec
import FirestoreModel
import Testing

@testable import FirestoreWire

@Suite struct ListenResponseTests {
  private static let name = DocumentName(
    database: DatabaseID(project: "p"),
    path: ResourcePath(["a", "x"])
  )

  private func decoded(_ response: ListenResponse) throws -> Google_Firestore_V1_ListenResponse {
    try Google_Firestore_V1_ListenResponse(serializedBytes: response.encoded())
  }

  @Test func `target changes say kind, targets, cause, token and time`() throws {
    let error = ServiceError(.permissionDenied, "Missing or insufficient permissions.")
    let removed = try decoded(.targetChange(.remove, targets: [7], cause: error)).targetChange
    #expect(removed.targetChangeType == .remove)
    #expect(removed.targetIds == [7])
    #expect(removed.cause.code == 7)
    #expect(removed.cause.message == "Missing or insufficient permissions.")
    let current = try decoded(
      .targetChange(
        .current,
        targets: [1, 300, -5],
        token: [1, 2],
        readTime: CommitVersion(microseconds: 1_500_000)
      )
    ).targetChange
    #expect(current.targetChangeType == .current)
    #expect(current.targetIds == [1, 300, -5])
    #expect([UInt8](current.resumeToken) == [1, 2])
    #expect(current.readTime.seconds == 1)
    #expect(current.readTime.nanos == 500_000_000)
    #expect(!current.hasCause)
    let all = try decoded(.targetChange(.noChange, targets: [])).targetChange
    #expect(all.targetChangeType == .noChange)
    #expect(all.targetIds == [])
  }

  @Test func `a document's bytes are shared, its targets are not`() throws {
    let fields = DocumentFields(
      encoding: MapValue([MapValue.Entry(key: "n", value: .integer(3))])
    )
    let record = DocumentRecord(
      name: Self.name,
      fields: fields,
      createTime: CommitVersion(microseconds: 1_000_000),
      updateTime: CommitVersion(microseconds: 2_000_000)
    )
    let document = ListenResponse.document(record)
    let change = try decoded(.documentChange(document, targets: [2, 4], removed: [6]))
      .documentChange
    #expect(change.document.name == Self.name.string)
    #expect(change.document.fields["n"]?.integerValue == 3)
    #expect(change.document.updateTime.seconds == 2)
    #expect(change.targetIds == [2, 4])
    #expect(change.removedTargetIds == [6])
  }

  @Test func `deletes, removes and filters`() throws {
    let time = CommitVersion(microseconds: 3_000_000)
    let delete = try decoded(.documentDelete(Self.name, removed: [1], readTime: time))
      .documentDelete
    #expect(delete.document == Self.name.string)
    #expect(delete.removedTargetIds == [1])
    #expect(delete.readTime.seconds == 3)
    let remove = try decoded(.documentRemove(Self.name, removed: [1, 2], readTime: time))
      .documentRemove
    #expect(remove.document == Self.name.string)
    #expect(remove.removedTargetIds == [1, 2])
    #expect(remove.readTime.seconds == 3)
    let filter = try decoded(.filter(target: 9, count: 12)).filter
    #expect(filter.targetID == 9)
    #expect(filter.count == 12)
  }

  @Test func `a target that cannot be read still has its id`() throws {
    let broken = Google_Firestore_V1_ListenRequest.with {
      $0.database = "projects/p/databases/(default)"
      $0.addTarget.targetID = 5
      $0.addTarget.query.parent = "nonsense"
    }
    let bytes = [UInt8](try broken.serializedData())
    #expect(throws: ServiceError.self) { try ListenRequest(decoding: bytes) }
    let refused = ListenRequest.refusedTarget(in: bytes)
    #expect(refused?.id == 5)
    #expect(refused?.database == DatabaseID(project: "p"))
    #expect(ListenRequest.refusedTarget(in: [0xFF, 0x01]) == nil)
  }
}
