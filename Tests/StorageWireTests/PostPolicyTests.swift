import BaseText
import Crypto
import Testing

@testable import StorageWire

/// Forms that upload files, and the policies that their signers set.
struct PostPolicyTests {
  private static let source = """
    {"expiration":"2026-01-31T12:10:00Z","conditions":[
      {"bucket":"photos"},["starts-with","$key","users/ana/"],["eq","$Content-Type","image/png"],
      ["content-length-range",1,1000],{"x-goog-algorithm":"GOOG4-RSA-SHA256"},
      {"x-goog-credential":"robot@shop.iam.brasa/20260131/auto/storage/goog4_request"},
      {"x-goog-date":"20260131T120000Z"}]}
    """

  private static func fields(_ policy: String = source) -> [String: String] {
    let encoded = Base64.standard(Array(policy.utf8))
    return [
      "key": "users/ana/1.png", "bucket": "photos", "content-type": "image/png", "policy": encoded,
      "x-goog-algorithm": "GOOG4-RSA-SHA256", "x-goog-date": "20260131T120000Z",
      "x-goog-credential": "robot@shop.iam.brasa/20260131/auto/storage/goog4_request",
      "x-goog-signature": Hexadecimal.text(SHA256.hash(data: Array(encoded.utf8))),
    ]
  }

  private static func verify(_ fields: [String: String], now: Int64 = SignatureTests.signed) throws
  {
    let (account, _, policy) = try SignatureTests.digesting.verify(form: fields, now: now)
    #expect(account == "robot@shop.iam.brasa")
    #expect(policy.lengths == 1...1_000)
  }

  @Test func `a form whose fields hold is its signer's`() throws {
    try Self.verify(Self.fields())
    try Self.verify(Self.fields().merging(["x-ignore-me": "1", "file": ""]) { $1 }, now: Self.end)
  }

  private static let end = SignatureTests.signed + 600

  @Test(arguments: [
    ("key", "users/bea/1.png"), ("key", nil), ("bucket", "others"), ("content-type", "text/html"),
    ("acl", "public-read"), ("success_action_redirect", "https://elsewhere"),
  ])
  func `a field that no condition allows is named`(field: String, value: String?) {
    var fields = Self.fields()
    fields[field] = value
    #expect(throws: PostPolicy.Problem.field(field)) { try Self.verify(fields) }
  }

  @Test func `a policy ends`() {
    #expect(throws: PostPolicy.Problem.expired) {
      try Self.verify(Self.fields(), now: Self.end + 1)
    }
  }

  @Test func `a policy that was altered is nobody's`() {
    var fields = Self.fields()
    let wider = Self.source.replacing("users/ana/", with: "users/")
    fields["policy"] = Self.fields(wider)["policy"]
    #expect(throws: SignatureProblem.mismatch) { try Self.verify(fields) }
    fields = Self.fields()
    fields["x-goog-credential"] = "other@shop.iam.brasa/20260131/auto/storage/goog4_request"
    #expect(throws: SignatureProblem.mismatch) { try Self.verify(fields) }
    fields["x-goog-algorithm"] = nil
    #expect(throws: SignatureProblem.malformed("x-goog-algorithm")) { try Self.verify(fields) }
  }

  @Test func `a form of version 2 is its signer's too`() throws {
    let policy = #"""
      {"expiration":"2026-01-31T12:10:00Z","conditions":[["eq","$key","a"],{"bucket":"photos"},
      ["content-length-range",1,1000]]}
      """#
    let encoded = Base64.standard(Array(policy.utf8))
    let signature = Base64.standard(Array(SHA256.hash(data: Array(encoded.utf8))))
    var fields = [
      "key": "a", "bucket": "photos", "policy": encoded, "signature": signature,
      "googleaccessid": "robot@shop.iam.brasa",
    ]
    try Self.verify(fields)
    #expect(throws: PostPolicy.Problem.expired) { try Self.verify(fields, now: Self.end + 1) }
    fields["key"] = "b"
    #expect(throws: PostPolicy.Problem.field("key")) { try Self.verify(fields) }
    fields["googleaccessid"] = "other@shop.iam.brasa"
    #expect(throws: SignatureProblem.mismatch) { try Self.verify(fields) }
    fields["signature"] = "?"
    #expect(throws: SignatureProblem.malformed("signature")) { try Self.verify(fields) }
  }

  @Test(arguments: [
    "", "{", "[]", #"{"expiration":"2026-01-31T12:10:00Z"}"#, #"{"conditions":[]}"#,
    #"{"expiration":"soon","conditions":[]}"#,
    #"{"expiration":"2026-01-31T12:10:00Z","conditions":[1]}"#,
    #"{"expiration":"2026-01-31T12:10:00Z","conditions":[["in","$key","a"]]}"#,
    #"{"expiration":"2026-01-31T12:10:00Z","conditions":[["eq","key","a"]]}"#,
    #"{"expiration":"2026-01-31T12:10:00Z","conditions":[["content-length-range",2,1]]}"#,
    #"{"expiration":"2026-01-31T12:10:00Z","conditions":[],"else":1}"#,
  ])
  func `what is no policy is malformed`(policy: String) {
    #expect(throws: PostPolicy.Problem.malformed) { try Self.verify(Self.fields(policy)) }
  }
}
