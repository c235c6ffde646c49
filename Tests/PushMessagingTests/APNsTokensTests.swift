import Crypto
import Testing

@testable import PushMessaging

@Suite struct APNsTokensTests {
  private static let privateKey = P256.Signing.PrivateKey()
  private static let key = APNsKey(
    keyID: "ABC123DEFG",
    teamID: "TEAM567890",
    privateKey: privateKey.pemRepresentation
  )

  @Test func `the token names the key and the team and is signed by the key`() throws {
    let header = try APNsTokens().authorization(Self.key, now: 1_700_000_000)
    try #require(header.hasPrefix("bearer "))
    let segments = header.dropFirst(7).split(separator: ".").map(String.init)
    try #require(segments.count == 3)
    let head = String(decoding: try bytes(segments[0]), as: UTF8.self)
    let claims = String(decoding: try bytes(segments[1]), as: UTF8.self)
    #expect(head == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
    #expect(claims == #"{"iss":"TEAM567890","iat":1699999200}"#)
    let isValid = try Self.privateKey.publicKey.isValidSignature(
      P256.Signing.ECDSASignature(rawRepresentation: bytes(segments[2])),
      for: Array("\(segments[0]).\(segments[1])".utf8)
    )
    #expect(isValid)
  }

  @Test func `a token serves forty minutes, and one from the future none`() throws {
    let tokens = APNsTokens()
    let first = try tokens.authorization(Self.key, now: 9_600)
    #expect(try tokens.authorization(Self.key, now: 12_000) == first)
    let second = try tokens.authorization(Self.key, now: 12_001)
    #expect(second != first)
    #expect(try tokens.authorization(Self.key, now: 11_999) != second)
  }

  @Test func `a token that is called expired is replaced, but not within twenty minutes`() throws {
    let tokens = APNsTokens()
    let first = try tokens.authorization(Self.key, now: 9_600)
    #expect(!tokens.expire(Self.key, now: 10_799))
    #expect(try tokens.authorization(Self.key, now: 10_799) == first)
    #expect(tokens.expire(Self.key, now: 10_800))
    #expect(try tokens.authorization(Self.key, now: 10_800) != first)
  }

  @Test func `a server that starts anew goes on with a token of the same time`() throws {
    let claims = try [9_600, 10_799, 10_800].map { now in
      try APNsTokens().authorization(Self.key, now: now).split(separator: ".")[1]
    }
    #expect(claims[0] == claims[1] && claims[1] != claims[2])
  }

  @Test(arguments: ["", "no key", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"])
  func `what is no key gives no token`(_ text: String) {
    let key = APNsKey(keyID: "ABC123DEFG", teamID: "TEAM567890", privateKey: text)
    #expect(throws: APNsTokens.Problem.unreadableKey) {
      try APNsTokens().authorization(key, now: 1)
    }
  }
}
