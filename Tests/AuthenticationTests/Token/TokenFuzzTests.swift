import BaseText
import ModelTestSupport
import Testing

@testable import Authentication

/// Whatever a client sends for a token is read or refused, and never ends the process.
struct TokenFuzzTests {
  private let fixture: AccountsFixture
  private let uid: Text

  init() throws {
    fixture = try AccountsFixture { $0.acceptsUnsigned = true }
    uid = try fixture.project.signUpAnonymously(from: .somewhere).user.uid
  }

  /// The claims of a token without a signature.
  private func claims() -> String {
    let now = fixture.clock.seconds
    return #"{"iss":"https://securetoken.google.com/demo-brasa","aud":"demo-brasa","#
      + #""sub":"\#(uid.string)","iat":\#(now),"exp":\#(now + 3_600),"nbf":\#(now),"#
      + #""auth_time":\#(now),"firebase":{"sign_in_provider":"password"},"a":[1.5,{}]}"#
  }

  private static let header = #"{"alg":"none","typ":"JWT","kid":"x","ses":"1"}"#

  private static func token(_ header: [UInt8], _ claims: [UInt8], _ signature: String) -> String {
    Base64.url(header) + "." + Base64.url(claims) + "." + signature
  }

  @Test func `claims of any kind`() throws {
    let custom =
      #"{"aud":"\#(CustomToken.audience)","uid":"u","iat":1,"exp":99999999999,"claims":{"a":1}}"#
    let examples = [claims(), custom].map { Array($0.utf8) }
    var fuzzer = Fuzzer("claims", slowCount: 100_000, examples: examples)
    let tokens = BearerTokens(fixture.accounts)
    try fuzzer.run { input in
      let text = Self.token(Array(Self.header.utf8), input, "")
      guard (try? tokens.bearer(Substring(text))) != nil else { return }
      _ = try? fixture.project.signedIn(text)
      _ = try? fixture.project.makeSessionCookie(idToken: text, lifetime: 300)
      var update = ProjectAccounts.OwnUpdate()
      update.removesEmail = true
      _ = try? fixture.project.updateOwn(idToken: text, update, from: .somewhere)
    }
  }

  @Test func `tokens in any form`() throws {
    let good = Self.token(Array(Self.header.utf8), Array(claims().utf8), "")
    let signed = try fixture.project.signUpAnonymously(from: .somewhere)
    let examples = [good, signed.idToken, signed.refreshToken].map { Array($0.utf8) }
    var fuzzer = Fuzzer("jwt", slowCount: 300_000, examples: examples)
    let tokens = BearerTokens(fixture.accounts)
    try fuzzer.run { input in
      let text = String(decoding: input, as: UTF8.self)
      _ = try? tokens.bearer(Substring(text))
      _ = try? fixture.project.signedIn(sessionCookie: text)
      _ = RefreshToken(text)
    }
  }
}
