import KeyValueStore
import Testing

@testable import Authentication

@Suite struct VerificationTests {
  private let fixture: AccountsFixture

  init() throws {
    fixture = try AccountsFixture()
    var draft = NewUser(uid: "ana", email: "ana@example.com", displayName: "Ana")
    draft.phoneNumber = "+5511999990000"
    draft.password = "correct horse"
    _ = try fixture.project.create(draft)
    _ = try fixture.project.signUpAnonymously(from: .somewhere)
    _ = try fixture.project.issueTicket(.oneTimeCode, .null, lifetime: 60)
  }

  private func differences() throws -> [String] {
    var found: [String] = []
    let count = try fixture.accounts.verify(progress: { _ in }, report: { found.append($0) })
    #expect(count == 2)
    return found.map { String($0.prefix { $0 != "," }) }
  }

  private func keys(_ kind: AccountKey.Kind) throws -> [[UInt8]] {
    try fixture.engine.read { reader in
      let range = KeyRange(prefix: AccountKey.prefix(kind))
      let cursor = try reader.cursor(over: range, reversed: false)
      var keys: [[UInt8]] = []
      while try cursor.next() { keys.append(Array(cursor.key)) }
      return keys
    }
  }

  @Test func `accounts as they are written have no differences`() throws {
    #expect(try differences() == [])
  }

  @Test(arguments: [
    (AccountKey.Kind.email, "missing index entry of projects/demo-brasa"),
    (.phone, "missing index entry of projects/demo-brasa"),
    (.ticket, "end of a ticket that is not there"),
    (.ticketEnd, "ticket without its end"),
  ])
  func `a record that is gone is found`(_ kind: AccountKey.Kind, _ difference: String) throws {
    let key = try #require(try keys(kind).first)
    try fixture.engine.write { try $0.delete(key) }
    #expect(try differences() == [difference])
  }

  @Test(arguments: [
    (AccountKey.Kind.refreshToken, "damaged refresh token"), (.ticket, "damaged ticket"),
    (.signingKey, "damaged signing key"), (.scope, "damaged configuration"),
    (.email, "surplus index entry of projects/demo-brasa"),
  ])
  func `a record that is damaged is found`(_ kind: AccountKey.Kind, _ difference: String) throws {
    let key = try #require(try keys(kind).first)
    try fixture.engine.write { try $0.put(key, [0x7F]) }
    #expect(try differences().contains(difference))
  }

  @Test func `a user who is gone leaves what pointed to them`() throws {
    let key = AccountKey.user(.project("demo-brasa"), "ana")
    try fixture.engine.write { try $0.delete(key) }
    var found: [String] = []
    _ = try fixture.accounts.verify(progress: { _ in }, report: { found.append($0) })
    #expect(found.count { $0.hasPrefix("surplus index entry of projects/demo-brasa, ana") } == 2)
  }
}
