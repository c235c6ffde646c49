import BaseJSON
import Crypto
import Testing

@testable import PushMessaging

@Suite struct VAPIDTests {
  private static let origin = "https://push.example.net"
  private static let subject = "mailto:push@example.com"

  /// The example of RFC 8292, section 2.4: its signature must verify over what is signed here.
  @Test func `the token signs what the example of RFC 8292 signs`() throws {
    let signature =
      "i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA"
    let publicKey =
      "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"
    let header = try VAPIDPair(newFor: Self.subject).authorization(
      origin: Self.origin,
      expiry: 1_453_523_768
    )
    let parts = try Self.parts(header)
    let key = try P256.Signing.PublicKey(x963Representation: bytes(publicKey))
    let isValid = try key.isValidSignature(
      P256.Signing.ECDSASignature(rawRepresentation: bytes(signature)),
      for: Array(parts.signed.utf8)
    )
    #expect(isValid)
  }

  @Test func `the token is signed by the key that the header names`() throws {
    let key = VAPIDPair(newFor: Self.subject)
    let header = try key.authorization(origin: Self.origin, expiry: 9)
    let parts = try Self.parts(header)
    #expect(parts.key == key.publicText)
    let publicKey = try P256.Signing.PublicKey(x963Representation: bytes(parts.key))
    let isValid = try publicKey.isValidSignature(
      P256.Signing.ECDSASignature(rawRepresentation: bytes(parts.signature)),
      for: Array(parts.signed.utf8)
    )
    #expect(isValid)
  }

  @Test func `keys that are none sign nothing`() throws {
    let pair = VAPIDPair(newFor: Self.subject)
    #expect(pair.privateKey.count == 32 && pair.publicKey.count == 65)
    for privateKey in [[1, 2, 3], [UInt8](repeating: 0, count: 32)] {
      let broken = VAPIDPair(
        publicKey: pair.publicKey,
        privateKey: privateKey,
        subject: Self.subject
      )
      #expect(throws: (any Error).self) {
        try broken.authorization(origin: Self.origin, expiry: 9)
      }
    }
  }

  @Test func `a header serves twelve hours, for its key and origin alone`() throws {
    let tokens = VAPIDTokens()
    let key = VAPIDPair(newFor: Self.subject)
    let first = try tokens.authorization(key, origin: Self.origin, now: 1_000)
    #expect(try tokens.authorization(key, origin: Self.origin, now: 1_000 + 43_199) == first)
    #expect(try tokens.authorization(key, origin: "https://other.example", now: 1_000) != first)
    #expect(
      try tokens.authorization(VAPIDPair(newFor: Self.subject), origin: Self.origin, now: 1_000)
        != first
    )
    let second = try tokens.authorization(key, origin: Self.origin, now: 1_000 + 43_200)
    #expect(second != first)
    #expect(try Self.claims(second)["exp"]?.integer == 1_000 + 43_200 + 64_800)
  }

  @Test func `a clock that goes back gets a header that is not too far ahead`() throws {
    let tokens = VAPIDTokens()
    let key = VAPIDPair(newFor: Self.subject)
    _ = try tokens.authorization(key, origin: Self.origin, now: 1_000_000)
    let header = try tokens.authorization(key, origin: Self.origin, now: 1_000)
    #expect(try Self.claims(header)["exp"]?.integer == 1_000 + 64_800)
  }

  @Test func `more origins than are kept are served none the less`() throws {
    let tokens = VAPIDTokens(capacity: 2)
    let key = VAPIDPair(newFor: Self.subject)
    for number in 0..<5 {
      let origin = "https://\(number).example"
      let header = try tokens.authorization(key, origin: origin, now: 5)
      #expect(try Self.claims(header)["aud"]?.string == origin)
      #expect(try tokens.authorization(key, origin: origin, now: 5) == header)
    }
  }

  private struct Parts {
    let signed: String
    let signature: String
    let key: String
  }

  private static func parts(_ header: String) throws -> Parts {
    let fields = header.split(separator: " ")
    try #require(fields.count == 3 && fields[0] == "vapid" && fields[1].hasPrefix("t="))
    try #require(fields[1].hasSuffix(",") && fields[2].hasPrefix("k="))
    let segments = fields[1].dropFirst(2).dropLast().split(separator: ".")
    try #require(segments.count == 3)
    return Parts(
      signed: "\(segments[0]).\(segments[1])",
      signature: String(segments[2]),
      key: String(fields[2].dropFirst(2))
    )
  }

  private static func claims(_ header: String) throws -> JSONValue {
    let segment = try parts(header).signed.split(separator: ".")[1]
    return try JSONValue(parsing: String(decoding: bytes(String(segment)), as: UTF8.self))
  }
}
