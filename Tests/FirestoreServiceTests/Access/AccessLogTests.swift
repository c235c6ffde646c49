import AccessTestSupport
import BaseStatus
import Logging
import Testing

@testable import Access
@testable import FirestoreService

/// Tests of the denials that operators can read, and that no other caller can.
struct AccessLogTests {
  private static let rules = """
    function isOwner() { return resource.data.owner == request.auth.uid; }
    match /d/{id} {
      allow read: if isOwner()
        || resource.data.level > 3;
      allow update: if request.resource.data.size() < 2;
    }
    """
  /// The lines before the rules in the fixture's source.
  private static let offset = 3

  private let notes = Notes()

  private func fixture() async throws -> ServiceFixture {
    let fixture = try ServiceFixture(rules: Self.rules, log: notes.logger)
    let long = String(repeating: "x", count: 300)
    _ = try await fixture.call(
      "PATCH",
      "/d/x",
      #"{"fields":{"owner":{"stringValue":"bob"},"level":{"integerValue":2},"#
        + #""long":{"stringValue":"\#(long)"}}}"#,
      context: ServiceFixture.context(authorization: "Bearer owner")
    )
    return fixture
  }

  /// Does what must be denied, and gives the one entry about it.
  private func denied(
    _ fixture: ServiceFixture,
    _ method: String,
    _ path: String,
    _ body: String = "",
    as uid: String? = "alice"
  ) async throws -> Logger.Metadata {
    notes.entries.withLock { $0 = [] }
    let context = ServiceFixture.context(
      authorization: uid.map { TestTokens.bearer($0, isSigned: false) }
    )
    let error = await #expect(throws: ServiceError.self) {
      try await fixture.call(method, path, body, context: context)
    }
    #expect(error?.code == .permissionDenied)
    #expect(error?.message == "Missing or insufficient permissions.")
    #expect(error?.violations.isEmpty == true && error?.reason == nil)
    let entries = notes.entries.withLock { $0 }
    #expect(entries.map(\.message) == ["denied by the rules"])
    #expect(entries.first?.level == .notice)
    return entries.first?.metadata ?? [:]
  }

  @Test func `a denied get tells operators its condition, the lines and the values seen`()
    async throws
  {
    let fixture = try await fixture()
    defer { fixture.close() }
    let entry = try await denied(fixture, "GET", "/d/x")
    #expect(entry["method"] == "get" && entry["path"] == "d/x" && entry["uid"] == "alice")
    #expect(entry["database"] == "projects/p/databases/(default)" && entry["request"] == "test")
    #expect(entry["why"] == "false for 'get' @ L\(Self.offset + 3)")
    guard case .array(let seen)? = entry["seen"] else {
      Issue.record("nothing was seen: \(entry)")
      return
    }
    let lines = seen.map { "\($0)" }
    for expected in [
      "L\(Self.offset + 1): resource.data.owner = \"bob\"",
      "L\(Self.offset + 1): request.auth.uid = \"alice\"",
      "L\(Self.offset + 4): resource.data.level = 2",
    ] {
      #expect(lines.contains(expected), "\(lines)")
    }
    #expect(lines.allSatisfy { $0.count < 300 })
  }

  @Test func `denied queries, writes and nobody's are told alike`() async throws {
    let fixture = try await fixture()
    defer { fixture.close() }
    let query = #"{"structuredQuery":{"from":[{"collectionId":"d"}]}}"#
    let list = try await denied(fixture, "POST", ":runQuery", query)
    #expect(list["method"] == "list" && list["uid"] == "alice")
    #expect("\(list["why"] ?? "")".contains("for 'list' @ L\(Self.offset + 3)"))
    let update = #"{"fields":{"a":{"integerValue":1},"b":{"integerValue":2}}}"#
    let write = try await denied(fixture, "PATCH", "/d/x", update)
    #expect(write["method"] == "update" && write["path"] == "d/x")
    #expect(write["why"] == "false for 'update' @ L\(Self.offset + 5)")
    let nobody = try await denied(fixture, "GET", "/d/x", as: nil)
    #expect(nobody["uid"] == "nobody")
    #expect("\(nobody["why"] ?? "")".contains("Null value error"))
    let elsewhere = try await denied(fixture, "GET", "/elsewhere/x")
    #expect(elsewhere["why"] == "No matching allow statements" && elsewhere["seen"] == nil)
  }
}
