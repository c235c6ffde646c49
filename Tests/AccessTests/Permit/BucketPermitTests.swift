import AccessTestSupport
import BaseStatus
import BaseText
import DocumentCodec
import DocumentStore
import FirestoreModel
import Logging
import SecurityRules
import Testing

@testable import Access

/// Which permits there are for a bucket, and what the rules allow under them.
struct BucketPermitTests {
  private static let bucket = BucketID(project: "p", name: "p.appspot.com")
  private static let key = AdministratorKey("brasa-admin-secret")
  private static let ana = user("ana")

  private static func user(_ uid: Text, project: Text = "p") -> Caller {
    .user(UserIdentity(project: project, uid: uid, claims: MapValue(), expiry: .max, issued: 0))
  }

  /// The seed's rules: a photo in the user's own folder.
  private static let own = """
    match /users/{uid}/{imageId} {
      allow read, delete: if request.auth.uid == uid;
      allow create: if request.auth.uid == uid && request.resource.size < 100
        && request.resource.contentType.matches('image/.*');
    }
    """

  private static func source(_ statements: String, version: String = "2") -> RulesetFile {
    RulesetFile(
      name: "storage.rules",
      content: """
        rules_version = '\(version)';
        service firebase.storage { match /b/{bucket}/o { \(statements) } }
        """
    )
  }

  private static func deploy(
    _ statements: String,
    _ fixture: AccessFixture,
    to target: RulesTarget = .storage(bucket)
  ) throws {
    try fixture.rules.deploy([source(statements)], to: [target], project: target.project)
  }

  private static func isAllowed(
    _ fixture: AccessFixture,
    _ caller: Caller,
    _ request: ObjectRequest,
    _ name: Text,
    stored: StorageResource? = nil
  ) throws -> Bool {
    do {
      try fixture.access.permit(caller, bucket).require(request, name, stored: stored)
      return true
    } catch let error as ServiceError {
      #expect(error.code == .permissionDenied && error.message == AccessControl.denied.message)
      return false
    }
  }

  private static func image(
    _ name: Text,
    size: Int64 = 10,
    type: Text = "image/png"
  ) -> StorageResource {
    var image = StorageResource(name: name, bucket: bucket.name)
    image.size = size
    image.contentType = type
    return image
  }

  @Test(arguments: [
    (Caller.administrator, "administrator", "administrator", "administrator"),
    (.nobody, "everything", "nothing", "rules"),
    (BucketPermitTests.user("u"), "everything", "nothing", "rules"),
    (BucketPermitTests.user("u", project: "q"), "everything", "nothing", "foreign"),
    (.projectAdministrator(of: ["p"]), "administrator", "administrator", "administrator"),
    (.projectAdministrator(of: ["q"]), "nothing", "nothing", "nothing"),
  ])
  func `without rules a bucket is the administrator's alone, in development everybody's`(
    caller: Caller,
    development: String,
    production: String,
    after: String
  ) throws {
    for (mode, before) in [
      (AccessControl.Mode.development, development), (.production(key: Self.key), production),
    ] {
      let fixture = try AccessFixture(mode)
      defer { fixture.close() }
      #expect(Self.outcome(fixture, caller) == before)
      try Self.deploy(Self.own, fixture)
      var expected = after
      if after == "foreign" {
        if case .development = mode { expected = "rules" } else { expected = "nothing" }
      }
      #expect(Self.outcome(fixture, caller) == expected)
    }
  }

  private static func outcome(_ fixture: AccessFixture, _ caller: Caller) -> String {
    guard let permit = try? fixture.access.permit(caller, bucket) else { return "nothing" }
    if permit.isAdministrator { return "administrator" }
    let name: Text = "elsewhere/a"
    let isOpen =
      permit.allowsInMemory(.delete, name, stored: nil)
      && (try? permit.require(.list, name)) != nil
    #expect((try? permit.requireAdministrator(for: "Tokens")) == nil)
    return isOpen ? "everything" : "rules"
  }

  @Test func `rules that allow nothing are rules, in development too`() throws {
    let fixture = try AccessFixture(.development)
    defer { fixture.close() }
    #expect(try Self.isAllowed(fixture, .nobody, .delete, "a"))
    try Self.deploy("match /{any=**} { allow read, write: if false; }", fixture)
    #expect(try !Self.isAllowed(fixture, .nobody, .delete, "a"))
  }

  @Test func `the seed's rule keeps everybody in the own folder`() throws {
    let fixture = try AccessFixture(.production(key: Self.key))
    defer { fixture.close() }
    try Self.deploy(Self.own, fixture)
    let name: Text = "users/ana/1.png"
    let stored = Self.image(name)
    for caller in [Self.ana, Self.user("bea"), .nobody] {
      let isOwner = caller == Self.ana
      #expect(try Self.isAllowed(fixture, caller, .get, name, stored: stored) == isOwner)
      #expect(try Self.isAllowed(fixture, caller, .write(stored), name) == isOwner)
      #expect(try Self.isAllowed(fixture, caller, .delete, name, stored: stored) == isOwner)
      // No statement of the rules is about metadata.
      #expect(try !Self.isAllowed(fixture, caller, .update(stored), name, stored: stored))
    }
    for wrong in [Self.image(name, size: 100), Self.image(name, type: "text/html")] {
      #expect(try !Self.isAllowed(fixture, Self.ana, .write(wrong), name))
    }
    for other: Text in ["users/ana", "users/ana/a/b", "users/ana/a/", "/users/ana/1.png", "ana"] {
      #expect(try !Self.isAllowed(fixture, Self.ana, .write(Self.image(other)), other))
    }
  }

  @Test(arguments: ["users/ana", "users/ana/", "/users/ana/"])
  func `a list is asked for below its prefix, whatever slashes are around it`(prefix: String) throws
  {
    let fixture = try AccessFixture(.production(key: Self.key))
    defer { fixture.close() }
    let rule = "match /users/{uid} { allow list: if request.auth.uid == uid; }"
    try Self.deploy(rule, fixture)
    #expect(try Self.isAllowed(fixture, Self.ana, .list, Text(prefix)))
    #expect(try !Self.isAllowed(fixture, Self.user("bea"), .list, Text(prefix)))
    #expect(try !Self.isAllowed(fixture, Self.ana, .list, ""))
  }

  @Test func `rules of version one allow no list`() throws {
    let fixture = try AccessFixture(.development)
    defer { fixture.close() }
    let file = Self.source("match /{any=**} { allow read; }", version: "1")
    try fixture.rules.deploy([file], to: [.storage(Self.bucket)], project: "p")
    #expect(try Self.isAllowed(fixture, .nobody, .get, "a"))
    #expect(try !Self.isAllowed(fixture, .nobody, .list, "a/"))
  }

  @Test(arguments: [(RulesMethod.create, true, false), (.update, false, true)])
  func `new content for an object is a create, or an update where that is configured`(
    overwriting: RulesMethod,
    creates: Bool,
    updates: Bool
  ) throws {
    let fixture = try AccessFixture(.development, overwriting: overwriting)
    defer { fixture.close() }
    try Self.deploy(
      "match /c/{n} { allow create; } match /u/{n} { allow update; } match /n/{n} { allow create: if resource == null; }",
      fixture
    )
    for (name, isAllowed) in [("c/a", creates), ("u/a", updates), ("n/a", false)] {
      let object = Self.image(Text(name))
      let request = ObjectRequest.write(object)
      #expect(
        try Self.isAllowed(fixture, .nobody, request, Text(name), stored: object) == isAllowed
      )
    }
    #expect(try Self.isAllowed(fixture, .nobody, .write(Self.image("n/a")), "n/a"))
  }

  @Test func `rules read documents of the project's default database`() async throws {
    let fixture = try AccessFixture(.production(key: Self.key))
    defer { fixture.close() }
    try Self.deploy(
      """
      match /{any=**} {
        allow get: if firestore.get(/databases/(default)/documents/flags/open).data.is == true;
        allow delete: if !firestore.exists(/databases/(default)/documents/flags/locked);
        allow create: if firestore.exists(/databases/orders/documents/flags/open);
      }
      """,
      fixture
    )
    #expect(try !Self.isAllowed(fixture, .nobody, .get, "a"))
    #expect(try Self.isAllowed(fixture, .nobody, .delete, "a"))
    #expect(try fixture.existing().isEmpty)
    try await Self.write("flags/open", fixture)
    try await Self.write("flags/locked", fixture)
    #expect(try Self.isAllowed(fixture, .nobody, .get, "a"))
    #expect(try !Self.isAllowed(fixture, .nobody, .delete, "a"))
    #expect(try !Self.isAllowed(fixture, .nobody, .write(Self.image("a")), "a"))
  }

  @Test func `memory allows what the rules allow without documents, and nothing else`() throws {
    let fixture = try AccessFixture(.production(key: Self.key))
    defer { fixture.close() }
    try Self.deploy(
      """
      match /users/{uid}/{n} { allow get: if request.auth.uid == uid; }
      match /open/{n} { allow get: if !firestore.exists(/databases/(default)/documents/flags/locked); }
      """,
      fixture
    )
    let permit = try fixture.access.permit(Self.ana, Self.bucket)
    #expect(permit.allowsInMemory(.get, "users/ana/1", stored: Self.image("users/ana/1").map))
    #expect(!permit.allowsInMemory(.get, "users/bea/1", stored: Self.image("users/bea/1").map))
    #expect(!permit.allowsInMemory(.get, "open/1", stored: Self.image("open/1").map))
    #expect(try Self.isAllowed(fixture, Self.ana, .get, "open/1"))
    let all = try fixture.access.permit(.administrator, Self.bucket)
    #expect(all.allowsInMemory(.delete, "users/bea/1", stored: nil))
  }

  @Test func `a read that was allowed is known for that caller under those rules alone`() throws {
    let fixture = try AccessFixture(.production(key: Self.key))
    defer { fixture.close() }
    let own = "match /users/{uid}/{n} { allow get: if request.auth.uid == uid; }"
    try Self.deploy(own, fixture)
    let allowed = AllowedRead()
    let name: Text = "users/ana/1"

    func isAllowed(_ caller: Caller) throws -> Bool {
      try fixture.access.permit(caller, Self.bucket)
        .allowsReadInMemory(name, stored: Self.image(name).map, remembering: allowed)
    }

    func isKnown(_ caller: Caller) throws -> Bool {
      let current = try #require(fixture.rules.current(.storage(Self.bucket)))
      return allowed.isKnown(current, caller)
    }

    #expect(try !isAllowed(Self.user("bea")))
    #expect(try !isKnown(Self.user("bea")))
    for _ in 0..<2 { #expect(try isAllowed(Self.ana)) }
    #expect(try isKnown(Self.ana))
    #expect(try !isAllowed(Self.user("bea")))
    #expect(try !isAllowed(.nobody))
    // The same rules, deployed again, are others.
    try Self.deploy(own, fixture)
    #expect(try !isKnown(Self.ana))
    #expect(try isAllowed(Self.ana))
    try Self.deploy("match /{any=**} { allow get: if request.auth.uid == 'bea'; }", fixture)
    #expect(try !isAllowed(Self.ana))
    #expect(try isAllowed(Self.user("bea")))
    // What the time decides is decided each time.
    try Self.deploy("match /{any=**} { allow get: if request.time.year() > 1; }", fixture)
    #expect(try isAllowed(Self.ana))
    #expect(try !isKnown(Self.ana))
  }

  private static func write(_ path: String, _ fixture: AccessFixture) async throws {
    let database = try fixture.databases.database(DatabaseID(project: "p"))
    let name = try DocumentName(parsing: "\(database.id.path)/documents/\(path)")
    let fields = DocumentFields(encoding: MapValue([.init(key: "is", value: .boolean(true))]))
    let write = Write(name: name, operation: .update(fields, mask: nil))
    _ = try await withCheckedThrowingContinuation { continuation in
      database.commit(CommitProposal(writes: [write])) { continuation.resume(with: $0) }
    }
  }

  @Test func `development has rules for all buckets, below those of a bucket`() throws {
    for mode in [AccessControl.Mode.development, .production(key: Self.key)] {
      let fixture = try AccessFixture(mode)
      defer { fixture.close() }
      var isDevelopment = false
      if case .development = mode { isDevelopment = true }
      let all = "match /{any=**} { allow get; }"
      try Self.deploy(all, fixture, to: .emulated(nil))
      #expect(try Self.isAllowed(fixture, .nobody, .get, "a") == isDevelopment)
      #expect(fixture.rules.projects.isEmpty)
      try Self.deploy("match /b { allow get; }", fixture, to: .emulated(Self.bucket.name))
      #expect(try !Self.isAllowed(fixture, .nobody, .get, "a"))
      #expect(try Self.isAllowed(fixture, .nobody, .get, "b") == isDevelopment)
      try Self.deploy("match /c { allow get; }", fixture)
      #expect(try !Self.isAllowed(fixture, .nobody, .get, "b"))
      #expect(try Self.isAllowed(fixture, .nobody, .get, "c"))
    }
  }

  @Test func `a denial names the line that denied in the log`() throws {
    let notes = Notes()
    let fixture = try AccessFixture(.development, log: notes.logger)
    defer { fixture.close() }
    try Self.deploy("match /a/{n} { allow get: if request.auth != null; }", fixture)
    #expect(try !Self.isAllowed(fixture, .nobody, .get, "a/b"))
    let entry = notes.entries.withLock { $0.last }
    #expect(entry?.message == "denied by the rules")
    #expect(entry?.metadata["bucket"] == "p.appspot.com")
    #expect(entry?.metadata["path"] == "a/b" && entry?.metadata["method"] == "get")
    let why = entry?.metadata["why"].map { "\($0)" }
    #expect(why == "false for 'get' @ L2")
  }

  @Test(arguments: [
    ("shop.appspot.com", "shop"), ("shop.firebasestorage.app", "shop"), ("shop", nil),
    (".appspot.com", nil), ("a.b.appspot.com", nil), ("shop.appspot.com.x", nil),
  ])
  func `a default bucket is its project's`(name: String, project: String?) {
    #expect(BucketID.project(ofDefault: Text(name))?.string == project)
  }
}
