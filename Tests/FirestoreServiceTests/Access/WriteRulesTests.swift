import AccessTestSupport
import BaseStatus
import Testing

@testable import Access
@testable import FirestoreService

/// Tests of the rules' decisions on writes: their names, the documents that they leave, and those
/// around them.
struct WriteRulesTests {
  private static let root = "projects/p/databases/(default)/documents"

  private static func context(_ uid: String?) -> CallContext {
    ServiceFixture.context(authorization: uid.map { TestTokens.bearer($0, isSigned: false) })
  }

  private static let owner = ServiceFixture.context(authorization: "Bearer owner")

  private func fixture(
    _ rules: String,
    _ documents: [String: String]
  ) async throws
    -> ServiceFixture
  {
    let fixture = try ServiceFixture(rules: rules)
    for (path, fields) in documents {
      _ = try await fixture.call(
        "PATCH",
        "/" + path,
        #"{"fields":{\#(fields)}}"#,
        context: Self.owner
      )
    }
    return fixture
  }

  /// Nil where the commit is applied.
  private func commit(
    _ fixture: ServiceFixture,
    _ writes: String...,
    as uid: String? = "alice"
  ) async throws -> StatusCode? {
    do {
      _ = try await fixture.call(
        "POST",
        ":commit",
        #"{"writes":[\#(writes.joined(separator: ","))]}"#,
        context: Self.context(uid)
      )
      return nil
    } catch let error as ServiceError {
      return error.code
    }
  }

  private static func set(
    _ path: String,
    _ fields: String = "",
    mask: [String]? = nil,
    transforms: String = "",
    exists: Bool? = nil
  ) -> String {
    var json = #"{"update":{"name":"\#(root)/\#(path)","fields":{\#(fields)}}"#
    if let mask {
      json += #","updateMask":{"fieldPaths":[\#(mask.map { "\"\($0)\"" }.joined(separator: ","))]}"#
    }
    if !transforms.isEmpty { json += #","updateTransforms":[\#(transforms)]"# }
    if let exists { json += #","currentDocument":{"exists":\#(exists)}"# }
    return json + "}"
  }

  private static func delete(_ path: String) -> String { #"{"delete":"\#(root)/\#(path)"}"# }

  private static func text(_ name: String, _ value: String) -> String {
    #""\#(name)":{"stringValue":"\#(value)"}"#
  }

  private static func number(_ name: String, _ value: Int) -> String {
    #""\#(name)":{"integerValue":"\#(value)"}"#
  }

  private static func increment(_ name: String, _ value: Int) -> String {
    #"{"fieldPath":"\#(name)","increment":{"integerValue":"\#(value)"}}"#
  }

  private static func requestTime(_ name: String) -> String {
    #"{"fieldPath":"\#(name)","setToServerValue":"REQUEST_TIME"}"#
  }

  @Test func `a write is called after what there was before the commit`() async throws {
    let rules = """
      match /creates/{id} { allow create: if true; }
      match /updates/{id} { allow update: if true; }
      match /deletes/{id} { allow delete: if true; }
      match /both/{id} { allow delete, update: if true; }
      """
    let stored = ["creates/x", "updates/x", "deletes/x", "both/x"]
    let fixture = try await fixture(
      rules,
      Dictionary(uniqueKeysWithValues: stored.map { ($0, "") })
    )
    defer { fixture.close() }
    #expect(try await commit(fixture, Self.set("creates/new")) == nil)
    #expect(try await commit(fixture, Self.set("creates/x")) == .permissionDenied)
    #expect(try await commit(fixture, Self.set("updates/x")) == nil)
    #expect(try await commit(fixture, Self.set("updates/new")) == .permissionDenied)
    #expect(try await commit(fixture, Self.delete("deletes/none")) == nil)
    #expect(try await commit(fixture, Self.delete("updates/x")) == .permissionDenied)
    // A write that insists is called after that, and refused for what is wrong with it.
    #expect(try await commit(fixture, Self.set("creates/x", exists: false)) == .alreadyExists)
    #expect(try await commit(fixture, Self.set("updates/none", exists: true)) == .notFound)
    #expect(try await commit(fixture, Self.set("updates/x", exists: false)) == .permissionDenied)
    #expect(try await commit(fixture, Self.set("creates/no", exists: true)) == .permissionDenied)
    // Deleted and made again in one commit is no creation.
    #expect(try await commit(fixture, Self.delete("both/x"), Self.set("both/x")) == nil)
    #expect(
      try await commit(fixture, Self.delete("both/x"), Self.set("both/x", exists: false)) == nil
    )
    #expect(try await commit(fixture, Self.set("both/new")) == .permissionDenied)
  }

  @Test func `rules see what masks and transforms leave`() async throws {
    let rules = """
      match /d/{id} {
        allow create: if request.resource.data.at == request.time && request.resource.data.n == 1;
        allow update: if request.resource.data.n == resource.data.n + 2
          && request.resource.data.keep == "kept"
          && request.resource.data.diff(resource.data).affectedKeys().hasOnly(["n", "tags"])
          && request.resource.data.tags == ["a", "b"];
      }
      """
    let fixture = try await fixture(rules, [:])
    defer { fixture.close() }
    let create = Self.set(
      "d/x",
      [Self.text("keep", "kept"), #""tags":{"arrayValue":{"values":[{"stringValue":"a"}]}}"#]
        .joined(separator: ","),
      transforms: Self.requestTime("at") + "," + Self.increment("n", 1)
    )
    #expect(
      try await commit(fixture, Self.set("d/x", Self.number("n", 1))) == .permissionDenied
    )
    #expect(try await commit(fixture, create) == nil)
    let union =
      #"{"fieldPath":"tags","appendMissingElements":{"values":[{"stringValue":"a"},"#
      + #"{"stringValue":"b"}]}}"#
    #expect(
      try await commit(
        fixture,
        Self.set("d/x", mask: [], transforms: Self.increment("n", 1) + "," + union)
      ) == .permissionDenied
    )
    #expect(
      try await commit(
        fixture,
        Self.set("d/x", Self.text("keep", "no"), mask: ["keep"], transforms: union)
      ) == .permissionDenied
    )
    #expect(
      try await commit(
        fixture,
        Self.set("d/x", mask: [], transforms: Self.increment("n", 2) + "," + union)
      ) == nil
    )
  }

  @Test func `one time holds for all of a commit`() async throws {
    let rules = """
      match /posts/{id} {
        allow create: if request.resource.data.at == request.time
          && getAfter(/databases/$(database)/documents/users/$(request.auth.uid)).data.last
            == request.time;
      }
      match /users/{id} {
        allow write: if request.auth.uid == id && request.resource.data.last == request.time;
      }
      """
    let fixture = try await fixture(rules, [:])
    defer { fixture.close() }
    let post = Self.set("posts/1", transforms: Self.requestTime("at"))
    let stamp = Self.set("users/alice", transforms: Self.requestTime("last"))
    #expect(try await commit(fixture, post) == .permissionDenied)
    #expect(try await commit(fixture, post, stamp) == nil)
    #expect(try await commit(fixture, Self.set("posts/2"), stamp) == .permissionDenied)
    let answer = try await fixture.call("GET", "/posts/1", context: Self.owner).joined()
    let other = try await fixture.call("GET", "/users/alice", context: Self.owner).joined()
    let time = try #require(answer.split(separator: "\"timestampValue\":\"").last?.prefix(24))
    #expect(other.contains(time))
  }

  @Test func `what comes after is seen over the whole commit`() async throws {
    let path = "/databases/$(database)/documents"
    let rules = """
      match /posts/{id} {
        allow update: if request.resource.data.diff(resource.data).affectedKeys()
            .hasOnly(["likes"])
          && ((request.resource.data.likes == resource.data.likes + 1
              && !exists(\(path)/likes/$(request.auth.uid))
              && existsAfter(\(path)/likes/$(request.auth.uid)))
            || (request.resource.data.likes == resource.data.likes - 1
              && exists(\(path)/likes/$(request.auth.uid))
              && !existsAfter(\(path)/likes/$(request.auth.uid))));
      }
      match /likes/{uid} {
        allow create: if request.auth.uid == uid
          && getAfter(\(path)/posts/1).data.likes == get(\(path)/posts/1).data.likes + 1;
        allow delete: if request.auth.uid == uid
          && getAfter(\(path)/posts/1).data.likes == get(\(path)/posts/1).data.likes - 1;
      }
      """
    let fixture = try await fixture(rules, ["posts/1": Self.number("likes", 5)])
    defer { fixture.close() }
    let up = Self.set("posts/1", mask: [], transforms: Self.increment("likes", 1))
    let down = Self.set("posts/1", mask: [], transforms: Self.increment("likes", -1))
    let like = Self.set("likes/alice")
    #expect(try await commit(fixture, up) == .permissionDenied)
    #expect(try await commit(fixture, like) == .permissionDenied)
    #expect(try await commit(fixture, up, like) == nil)
    #expect(try await commit(fixture, like, up) == .permissionDenied)
    #expect(try await commit(fixture, down) == .permissionDenied)
    #expect(try await commit(fixture, up, Self.set("likes/bob")) == .permissionDenied)
    #expect(try await commit(fixture, Self.set("likes/bob"), up, as: "bob") == nil)
    #expect(try await commit(fixture, Self.delete("likes/alice"), down) == nil)
  }

  @Test func `a commit is applied or refused as a whole`() async throws {
    let fixture = try await fixture(
      "match /d/{id} { allow create: if id != \"bad\"; }",
      [:]
    )
    defer { fixture.close() }
    #expect(
      try await commit(fixture, Self.set("d/a"), Self.set("d/bad"), Self.set("d/b"))
        == .permissionDenied
    )
    #expect(try fixture.contents().isEmpty)
  }

  @Test func `who may not write does not learn why it would not have worked`() async throws {
    let fixture = try await fixture(
      "match /d/{id} { allow read: if true; }",
      ["d/x": Self.text("t", String(repeating: "x", count: 1_000_000))]
    )
    defer { fixture.close() }
    let tooMuch = Self.set(
      "d/x",
      Self.text("u", String(repeating: "y", count: 100_000)),
      mask: ["u"]
    )
    #expect(try await commit(fixture, tooMuch) == .permissionDenied)
    #expect(try await commit(fixture, Self.set("d/none", exists: true)) == .permissionDenied)
  }

  @Test(arguments: [
    (10, 1, true), (11, 1, false), (10, 2, true), (7, 3, false), (20, 1, false),
    (1, 20, true), (1, 21, false),
  ])
  func `the rules of a commit read a bounded number of documents`(
    reads: Int,
    writes: Int,
    isAllowed: Bool
  ) async throws {
    let all = (0..<reads).map { "!exists(/databases/$(database)/documents/r/$(id)/x/n\($0))" }
    let fixture = try await fixture(
      "match /d/{id} { allow create, get: if \(all.joined(separator: " && ")); }",
      [:]
    )
    defer { fixture.close() }
    let commit =
      #"{"writes":[\#((0..<writes).map { Self.set("d/\($0)") }.joined(separator: ","))]}"#
    let names = (0..<writes).map { "\"\(Self.root)/d/\($0)\"" }.joined(separator: ",")
    let context = Self.context("alice")
    for (path, body) in [(":batchGet", #"{"documents":[\#(names)]}"#), (":commit", commit)] {
      var code: StatusCode?
      do {
        _ = try await fixture.call("POST", path, body, context: context)
      } catch let error as ServiceError {
        code = error.code
      }
      #expect(code == (isAllowed ? nil : .permissionDenied), "\(path)")
    }
  }

  @Test func `an answer to an update shows what its author may read`() async throws {
    let fixture = try await fixture(
      """
      match /open/{id} { allow read, write: if true; }
      match /box/{id} { allow write: if true; }
      """,
      ["open/x": Self.text("secret", "hidden"), "box/x": Self.text("secret", "hidden")]
    )
    defer { fixture.close() }
    for (collection, isOpen) in [("open", true), ("box", false)] {
      let answer = try await fixture.call(
        "PATCH",
        "/\(collection)/x?updateMask.fieldPaths=n",
        #"{"fields":{\#(Self.number("n", 1))}}"#,
        context: Self.context("alice")
      ).joined()
      #expect(answer.contains("\"n\"") && answer.contains("hidden") == isOpen)
    }
  }

  @Test func `reads and writes of a transaction are judged alike`() async throws {
    let fixture = try await fixture(
      """
      match /d/{id} {
        allow get: if request.auth.uid == resource.data.owner;
        allow update: if request.auth.uid == resource.data.owner;
      }
      """,
      ["d/a": Self.text("owner", "alice"), "d/b": Self.text("owner", "bob")]
    )
    defer { fixture.close() }
    let context = Self.context("alice")
    let began = try await fixture.call("POST", ":beginTransaction", "{}", context: context)
    let id = try #require(began.joined().split(separator: "\"").dropFirst(3).first)
    let read = #"{"documents":["\#(Self.root)/d/a"],"transaction":"\#(id)"}"#
    #expect(try await fixture.call("POST", ":batchGet", read, context: context).count == 1)
    for (path, body) in [
      (":batchGet", #"{"documents":["\#(Self.root)/d/b"],"transaction":"\#(id)"}"#),
      (":runQuery", #"{"structuredQuery":{"from":[{"collectionId":"d"}]},"transaction":"\#(id)"}"#),
    ] {
      let error = await #expect(throws: ServiceError.self) {
        try await fixture.call("POST", path, body, context: context)
      }
      #expect(error?.code == .permissionDenied)
    }
    let write = Self.set("d/a", Self.number("n", 1), mask: ["n"])
    _ = try await fixture.call(
      "POST",
      ":commit",
      #"{"writes":[\#(write)],"transaction":"\#(id)"}"#,
      context: context
    )
    #expect(try await commit(fixture, Self.set("d/b", Self.number("n", 1), mask: ["n"])) != nil)
  }
}
