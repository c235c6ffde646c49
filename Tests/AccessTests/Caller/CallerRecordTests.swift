import FirestoreModel
import Testing

@testable import Access

/// Callers that are kept beyond their request.
struct CallerRecordTests {
  private static let claims = MapValue([
    .init(key: "sub", value: .string("ana")), .init(key: "level", value: .integer(3)),
    .init(key: "roles", value: .array([.string("editor"), .null])),
  ])

  @Test(arguments: [
    Caller.administrator, .nobody,
    .user(
      UserIdentity(
        project: "shop",
        uid: "ana",
        claims: claims,
        expiry: 1_800_000_000,
        issued: 1_700_000_000,
        isSigned: false,
        session: 17
      )
    ),
  ])
  func `a caller is the same afterwards`(caller: Caller) {
    #expect(Caller(record: caller.record) == caller)
  }

  @Test func `other bytes are nobody's`() {
    #expect(Caller(record: []) == nil)
  }
}
