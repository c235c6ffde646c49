import KeyValueStore
import Testing

@testable import Installations

/// Tokens that say whose they are.
@Suite struct InstallationTokensTests {
  private let tokens = InstallationTokens(secret: Array(0..<32))
  private let ana = InstallationTokens.Installation(
    project: "shop",
    id: "cAAAAAAAAAAAAAAAAAAAA_",
    appID: "1:42:ios:ab"
  )

  @Test func `a refresh token proves its own installation alone`() {
    let token = tokens.refreshToken(of: ana)
    #expect(tokens.installation(ana.id, of: "shop", refreshToken: token) == ana)
    #expect(tokens.installation(ana.id, of: "other", refreshToken: token) == nil)
    #expect(tokens.installation("dAAAAAAAAAAAAAAAAAAAA_", of: "shop", refreshToken: token) == nil)
    let other = InstallationTokens(secret: Array(1..<33))
    #expect(other.installation(ana.id, of: "shop", refreshToken: token) == nil)
    for index in token.indices.dropLast() {
      var damaged = token
      damaged.replaceSubrange(index...index, with: token[index] == "x" ? "y" : "x")
      #expect(tokens.installation(ana.id, of: "shop", refreshToken: damaged)?.appID != ana.appID)
    }
    for text in ["", ".", "..", "a.b.c", token + "="] {
      #expect(tokens.installation(ana.id, of: "shop", refreshToken: text) == nil)
    }
  }

  @Test func `ids are told from other texts`() {
    #expect(InstallationTokens.isID(ana.id))
    for _ in 0..<100 { #expect(InstallationTokens.isID(InstallationTokens.newID())) }
    for text in ["", "cA", "bAAAAAAAAAAAAAAAAAAAAA", "cAAAAAAAAAAAAAAAAAAAA+", ana.id + "A"] {
      #expect(!InstallationTokens.isID(text))
    }
  }

  @Test func `an id is proved by the secret that it was made of`() {
    // SHA-256 of 32 zeros begins with 66 68 7a ad f8 62 bd 77 6c 8f c1 8b 8e 9f 8e 20 08.
    let secret = String(repeating: "A", count: 43)
    let id = InstallationTokens.id(provedBy: secret)
    #expect(id == "dmh6rfhivXdsj8GLjp-OIA")
    #expect(id.map(InstallationTokens.isID) == true)
    for text in ["", "A", secret + "A", String(secret.dropLast()) + "B", secret + "="] {
      #expect(InstallationTokens.id(provedBy: text) != id)
    }
  }

  @Test func `the secret lasts`() throws {
    let storage = MemoryStorage()
    let first = try InstallationTokens(engine: MemoryEngine(storage: storage))
    let second = try InstallationTokens(engine: MemoryEngine(storage: storage))
    let token = first.refreshToken(of: ana)
    #expect(second.installation(ana.id, of: "shop", refreshToken: token) == ana)
    let others = try InstallationTokens(engine: MemoryEngine(storage: MemoryStorage()))
    #expect(others.installation(ana.id, of: "shop", refreshToken: token) == nil)
  }

  @Test func `an authentication token says whose it is until it ends`() throws {
    let tokens = InstallationTokens(secret: [UInt8](repeating: 7, count: 32))
    let installation = InstallationTokens.Installation(
      project: "shop",
      id: "f1",
      appID: "1:42:ios:ab"
    )
    let token = tokens.authToken(of: installation, now: 1_000)
    let end = 1_000 + InstallationTokens.lifetime
    #expect(tokens.installation(ofAuthToken: token, now: end - 1) == installation)
    #expect(tokens.installation(ofAuthToken: token, now: end) == nil)
    let other = InstallationTokens(secret: [UInt8](repeating: 8, count: 32))
    #expect(other.installation(ofAuthToken: token, now: 1_000) == nil)
    let parts = token.split(separator: ".")
    for text in [
      "", "..", "a.b.c", "\(parts[0]).\(parts[1]).", "\(parts[1]).\(parts[0]).\(parts[2])",
    ] {
      #expect(tokens.installation(ofAuthToken: text, now: 1_000) == nil)
    }
  }

  @Test func `a token that was shown is valid as long as any`() {
    let shown = ShownTokens(tokens)
    let token = tokens.authToken(of: ana, now: 1_000)
    let end = 1_000 + InstallationTokens.lifetime
    for _ in 0..<2 {
      #expect(shown.installation(ofAuthToken: token, now: end - 1) == ana)
      #expect(shown.installation(ofAuthToken: token, now: end) == nil)
      #expect(shown.installation(ofAuthToken: token + "A", now: 1_000) == nil)
    }
    #expect(shown.installation(ofAuthToken: token, now: 1_000) == ana)
  }
}
