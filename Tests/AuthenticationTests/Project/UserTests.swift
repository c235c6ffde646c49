import BaseText
import ModelTestSupport
import Testing

@testable import Authentication

/// Users and their keys, as administrators see them.
struct UserTests {
  @Test(arguments: EngineKind.allCases)
  func `a user is found by every key, and by none of it once it is gone`(kind: EngineKind) throws {
    let fixture = try AccountsFixture(kind)
    let project = fixture.project
    var draft = NewUser(uid: "ana", email: "Ana@Example.com", displayName: "Ana")
    draft.phoneNumber = "+55 11 91234-5678"
    draft.customClaims = #"{"role":"seller","level":3}"#
    let made = try project.create(draft)
    var link = UserUpdate()
    link.linkedProvider = LinkedProvider(providerID: "google.com", rawID: "g-1")
    let user = try project.update("ana", link)
    #expect(try project.user("ana") == user)
    #expect(try project.user(email: "ANA@EXAMPLE.COM") == user)
    #expect(try project.user(phoneNumber: "+5511912345678") == user)
    #expect(try project.user(provider: "google.com", rawID: "g-1") == user)
    #expect(made.customClaims == user.customClaims)
    #expect(user.providerIDs == ["google.com", "phone"])
    try project.delete("ana")
    #expect(try project.user("ana") == nil)
    #expect(try project.user(email: "ana@example.com") == nil)
    #expect(try project.user(phoneNumber: "+5511912345678") == nil)
    #expect(try project.user(provider: "google.com", rawID: "g-1") == nil)
    expect(.userNotFound) { try project.delete("ana") }
    _ = try project.create(draft)
  }

  @Test func `what is taken is refused by name`() throws {
    let fixture = try AccountsFixture()
    let project = fixture.project
    var draft = NewUser(uid: "one", email: "a@b.example")
    draft.phoneNumber = "+5511900000000"
    _ = try project.create(draft)
    _ = try project.create(NewUser(uid: "two", email: "c@b.example"))
    expect(.duplicateLocalID) { _ = try project.create(NewUser(uid: "one")) }
    expect(.emailExists) { _ = try project.create(NewUser(email: "A@B.example")) }
    var phone = NewUser()
    phone.phoneNumber = "+5511900000000"
    expect(.phoneNumberExists) { _ = try project.create(phone) }
    var update = UserUpdate()
    update.email = .set("a@b.example")
    expect(.emailExists) { _ = try project.update("two", update) }
    #expect(try project.user("two")?.email?.string == "c@b.example")
    // Another project has its own.
    _ = try AccountsFixture().accounts.project("other").create(draft)
  }

  @Test(arguments: [
    "", "a", "a@", "@b", "a@b@c", "a b@c.example", "a@b.example\n", "a\u{0}@b.example",
    "a@b.example\u{202E}", String(repeating: "a", count: 260) + "@b.example",
  ])
  func `what is no address is refused`(email: String) throws {
    let fixture = try AccountsFixture()
    let project = fixture.project
    expect(.invalidEmail) { _ = try project.create(NewUser(email: email)) }
  }

  @Test func `an address is one in whatever way it is composed`() throws {
    let fixture = try AccountsFixture()
    let project = fixture.project
    _ = try project.create(NewUser(email: "jos\u{E9}@example.com"))
    expect(.emailExists) { _ = try project.create(NewUser(email: "JOSE\u{301}@example.com")) }
  }

  @Test(arguments: [
    (#"{"aud":"x"}"#, AccountError.Code.forbiddenClaim), (#"{"firebase":1}"#, .forbiddenClaim),
    (#"{"user_id":1}"#, .forbiddenClaim), ("[]", .invalidClaims), ("nonsense", .invalidClaims),
    (#"{"a":1,"a":2}"#, .invalidClaims),
    (#"{"a":"\#(String(repeating: "x", count: 993))"}"#, .claimsTooLarge),
  ])
  func `claims that cannot be are refused`(claims: String, code: AccountError.Code) throws {
    let fixture = try AccountsFixture()
    let project = fixture.project
    _ = try project.create(NewUser(uid: "ana"))
    var update = UserUpdate()
    update.customClaims = .set(claims)
    expect(code) { _ = try project.update("ana", update) }
  }

  @Test func `claims are in the next token, and a thousand bytes of them may be`() throws {
    let fixture = try AccountsFixture()
    let session = try fixture.project.signUpAnonymously(from: .somewhere)
    var update = UserUpdate()
    update.customClaims = .set(#"{"role":"seller","pad":"\#(String(repeating: "x", count: 974))"}"#)
    #expect(update.customClaims.content?.utf8.count == 1_000)
    _ = try fixture.project.update(session.user.uid, update)
    let renewed = try fixture.accounts.refresh(session.refreshToken)
    #expect(try JSONWebToken(parsing: renewed.idToken).claims["role"]?.string == "seller")
    // The old token still opens: claims change with the next one.
    _ = try BearerTokens(fixture.accounts).bearer(Substring(session.idToken))
  }

  @Test func `claims that were taken away show as an empty object`() throws {
    let fixture = try AccountsFixture()
    let made = try fixture.project.create(NewUser(uid: "ana"))
    #expect(made.customClaims == nil)
    var update = UserUpdate()
    update.customClaims = .set(#"{ }"#)
    #expect(try fixture.project.update("ana", update).customClaims == "{}")
    #expect(try fixture.reopened().project("demo-brasa").user("ana")?.customClaims == "{}")
  }

  @Test func `pages show every user once, in the order of uids`() throws {
    let fixture = try AccountsFixture()
    let project = fixture.project
    let uids = (0..<57).map { "user-\($0)" }
    for uid in uids { _ = try project.create(NewUser(uid: uid)) }
    var seen: [Text] = []
    var token: String?
    repeat {
      let page = try project.list(limit: 10, pageToken: token)
      seen += page.users.map(\.uid)
      token = page.nextPageToken
    } while token != nil
    #expect(seen == uids.map { Text($0) }.sorted())
    #expect(try project.list(limit: 57).nextPageToken == nil)
    expect(.invalidPageToken) { _ = try project.list(limit: 0) }
    // A token is the uid that the last page ended with, also one that a caller chose.
    let page = try project.list(limit: 2, pageToken: "user-1")
    #expect(page.users.map(\.uid) == ["user-10", "user-11"] && page.nextPageToken == "user-11")
    #expect(try project.list(limit: 1, pageToken: "user-10a").users.first?.uid == "user-11")
    for token in ["", String(repeating: "u", count: 129)] {
      expect(.invalidPageToken) { _ = try project.list(pageToken: token) }
    }
  }

  @Test func `queries order, skip and bound`() throws {
    let fixture = try AccountsFixture()
    let project = fixture.project
    for (index, name) in ["Davi", "Ana", "Caio", "Bia"].enumerated() {
      fixture.clock.advance(seconds: 1)
      _ = try project.create(
        NewUser(uid: "u\(index)", email: "\(name)@b.example", displayName: name)
      )
    }
    var query = UserQuery()
    query.order = .name
    #expect(try project.query(query).map(\.displayName) == ["Ana", "Bia", "Caio", "Davi"])
    query.order = .createdAt
    query.isDescending = true
    query.offset = 1
    query.limit = 2
    #expect(try project.query(query).map(\.displayName) == ["Caio", "Ana"])
    query = UserQuery()
    query.expressions = [.email("ANA@b.example"), .uid("u0"), .uid("none")]
    #expect(try project.query(query).map(\.uid) == ["u0", "u1"])
  }

  @Test func `only disabled users are deleted in one go, unless forced`() throws {
    let fixture = try AccountsFixture()
    let project = fixture.project
    var disabled = NewUser(uid: "off")
    disabled.isDisabled = true
    _ = try project.create(disabled)
    _ = try project.create(NewUser(uid: "on"))
    let errors = try project.delete(["on", "off", "none"], force: false)
    #expect(errors.map(\.uid) == ["on"])
    #expect(try project.count() == 1)
    #expect(try project.delete(["on"], force: true).isEmpty)
    #expect(try project.count() == 0)
  }

  /// Random changes against a plain dictionary; after each run every index entry is somebody's.
  @Test(arguments: EngineKind.allCases)
  func `random changes keep every key unique`(kind: EngineKind) throws {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededSource(seed: seed)
    let fixture = try AccountsFixture(kind)
    let project = fixture.project
    var model: [Text: (email: String?, phone: String?)] = [:]
    for step in 0..<300 {
      let uid = Text("u\(random.next() % 12)")
      let email = "e\(random.next() % 9)@b.example"
      let phone = "+551190000000\(random.next() % 9)"
      do {
        switch random.next() % 4 {
        case 0:
          var draft = NewUser(uid: uid.string, email: email)
          draft.phoneNumber = phone
          _ = try project.create(draft)
          model[uid] = (email, phone)
        case 1:
          var update = UserUpdate()
          update.email = .set(email)
          update.phoneNumber = random.next() % 2 == 0 ? .clear : .set(phone)
          let user = try project.update(uid, update)
          model[uid] = (email, user.phoneNumber?.string)
        case 2:
          var update = UserUpdate()
          update.email = .clear
          _ = try project.update(uid, update)
          model[uid]?.email = nil
        default:
          try project.delete(uid)
          model[uid] = nil
        }
      } catch is AccountError {
        // Taken or missing: the model says the same below.
      }
      let found = try project.list().users
      let expected = model.sorted { $0.key < $1.key }
      try #require(found.map(\.uid) == expected.map(\.key), "seed \(seed), step \(step)")
      try #require(found.map { $0.email?.string } == expected.map(\.value.email))
      try #require(found.map { $0.phoneNumber?.string } == expected.map(\.value.phone))
      try #require(try entries(fixture, .email) == model.values.count { $0.email != nil })
      try #require(try entries(fixture, .phone) == model.values.count { $0.phone != nil })
    }
  }

  private func entries(_ fixture: AccountsFixture, _ kind: AccountKey.Kind) throws -> Int {
    try fixture.engine.read { snapshot in
      let cursor = try snapshot.cursor(
        over: .init(prefix: AccountKey.prefix(kind)),
        reversed: false
      )
      var count = 0
      while try cursor.next() { count += 1 }
      return count
    }
  }
}
