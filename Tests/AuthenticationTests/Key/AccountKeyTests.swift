import BaseRuntime
import KeyValueStore
import Testing

@testable import Authentication

/// Tests of the keys of accounts in the store: data that earlier versions wrote is found under the
/// same bytes.
struct AccountKeyTests {
  private let engine: any KeyValueEngine
  private let accounts: Accounts

  init() throws {
    let time: Int64 = 1_700_000_000_000_000
    let clock = MicrosecondClock { time }
    engine = MemoryEngine(storage: MemoryStorage(), clock: clock)
    var configuration = AccountsConfiguration()
    configuration.clock = clock
    configuration.defaults.allowsAnonymous = true
    configuration.random = RandomBytes { [UInt8](repeating: 7, count: $0) }
    accounts = try Accounts(
      engine: engine,
      configuration: configuration,
      passwords: AccountsFixture.pool
    )
  }

  @Test func `the keys of a project are what they always were`() throws {
    try fill(accounts.project("shop"))
    #expect(try entries().map(\.key) == Self.keysOfShop)
  }

  @Test func `a ticket's record names the project as it always did`() throws {
    try fill(accounts.project("shop"))
    let tickets = try entries().filter { $0.key.hasPrefix("P[06]") }
    #expect(
      tickets.map(\.value) == [
        "[01][01][0e]mfa-enrollment[02][04]shop[03][08][00][06][0a]$[1b][b1][c7][00][04][04]null"
      ]
    )
  }

  /// The refresh token's key has the digest of its text, so that this says how the text is made, too.
  private static let keysOfShop = [
    "P[01]shop[00][01]HHHHHHHHHHHHHHHHHHHHHHHHHHHH[00][01]",
    "P[01]shop[00][01]ana[00][01]",
    "P[02]shop[00][01]ana@example.com[00][01]",
    "P[03]shop[00][01]+5511987654321[00][01]",
    "P[04]shop[00][01]google.com[00][01]108[00][01]",
    "P[05]shop[00][01]HHHHHHHHHHHHHHHHHHHHHHHHHHHH[00][01][00][06][0a]$[18][1e]@[00]"
      + "[82]P)[85]7[bf]qA[07]u3t[fb][b9][8b]v[05][9e][c2]OA[b2];[1a][fc][c3][16][05]E[f3][02][b3]",
    "P[06][03]i[1d][15][0c][12][d5][1a][d4]ncr[cf][e6]ZS[1e][af][a8]![1b][b7][b3][c5]N![cd]m[f4]nU[99]",
    "P[07][00][06][0a]$[1b][b1][c7][00]"
      + "[03]i[1d][15][0c][12][d5][1a][d4]ncr[cf][e6]ZS[1e][af][a8]![1b][b7][b3][c5]N![cd]m[f4]nU[99]",
    "P[08]shop[00][01]ana@example.org[00][01]ana[00][01]",
    "P[20]shop[00][01]",
    "P!shop[00][01]known[00][01]google.com[00][01]",
  ]

  /// Makes an entry of each kind that belongs to a project.
  private func fill(_ project: ProjectAccounts) throws {
    var ana = ImportedUser(uid: "ana")
    ana.email = "ana@example.com"
    ana.phoneNumber = "+5511987654321"
    ana.providers = [LinkedProvider(providerID: "google.com", rawID: "108")]
    _ = try project.importUsers([ana])
    try project.write { users in
      try users.change("ana") { $0.initialEmail = EmailAddress("ana@example.org") }
    }
    _ = try project.signUpAnonymously(from: .somewhere)
    _ = try project.issueTicket(.enrollment, .null, lifetime: 60)
    try project.configure { _ in }
    try project.add(ProviderConfiguration(kind: .known, id: "google.com"))
  }

  /// All entries of accounts but the keys that sign, printable ASCII as it is and the rest in
  /// hexadecimal.
  private func entries() throws -> [(key: String, value: String)] {
    try engine.read { view in
      let range = KeyRange(prefix: [AccountKey.space])
      let cursor = try view.cursor(over: range, reversed: false)
      var found: [(key: String, value: String)] = []
      while try cursor.next() {
        guard cursor.key[1] < AccountKey.Kind.signingKey.rawValue else { continue }
        found.append((Self.text(Array(cursor.key)), Self.text(Array(cursor.value))))
      }
      return found
    }
  }

  private static func text(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      if 0x21...0x7E ~= byte { return String(Unicode.Scalar(byte)) }
      let hexadecimal = String(byte, radix: 16)
      return "[" + (hexadecimal.count < 2 ? "0" : "") + hexadecimal + "]"
    }.joined()
  }
}
