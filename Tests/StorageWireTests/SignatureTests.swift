import BaseText
import Crypto
import Testing

@testable import StorageWire

/// Signatures against vectors of others: Google's library for Python, and the documentation of S3.
struct SignatureTests {
  /// 2026-01-31T12:00:00Z.
  static let signed: Int64 = 1_769_860_800

  /// A key whose signature is the digest of the text, so that a vector shows what a library signed.
  static let digesting = SignatureVerifier(
    secret: { $0 == "GOOGTS7C7FUP3AIRVJTE2BCD" ? "bGoa+V7g/yqDXvKRqq+JTFn4uQZbPiQJo4pf9RzJ" : nil },
    keyID: { message, signature, account in
      let isSigned =
        account == "robot@shop.iam.brasa" && signature == Array(SHA256.hash(data: message))
      return isSigned ? "key" : nil
    }
  )

  /// A URL as a client sends it.
  struct SignedURL: Sendable, CustomTestStringConvertible {
    let method: String
    let path: String
    let query: String
    var headers: [String: String]

    var testDescription: String { "\(method) \(path)" }

    var request: SignableRequest {
      let parameters = query.split(separator: "&").map { part in
        let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        return (
          name: PercentEncoding.decode(halves[0]) ?? "",
          value: PercentEncoding.decode(halves[1]) ?? ""
        )
      }
      return SignableRequest(method: method, path: path, parameters: parameters, headers: headers)
    }
  }

  private static let google = ["host": "storage.googleapis.com"]

  static let urls: [SignedURL] = [
    SignedURL(
      method: "GET",
      path: "/photos/users/ana/1.png",
      query: credentials("host")
        + "&X-Goog-Signature=eabd3eb9051ac7f33dfe0f68c5dc98778e0c4ea8b8abd65af36ca4402e105848",
      headers: google
    ),
    SignedURL(
      method: "GET",
      path: "/photos/users/ana/a%20b%2Bc%25%C3%A7%C3%A3o.png",
      query: credentials("host") + "&generation=17"
        + "&response-content-disposition=attachment%3B%20filename%3D%22%C3%A7.png%22"
        + "&X-Goog-Signature=a39c10a7bf37d202c441afa9436ef939ff19ed2fd2f6d7020c46a0c0f8e704ff",
      headers: google
    ),
    SignedURL(
      method: "PUT",
      path: "/photos/a",
      query: credentials("content-type%3Bhost%3Bx-goog-if-generation-match%3Bx-goog-meta-color")
        + "&X-Goog-Signature=8f3f37f775e013dc57817ba4291f017f33141d9dfbe0bc420b80c08ccfdb386b",
      headers: google.merging([
        "content-type": "image/png", "x-goog-meta-color": "  light   blue ",
        "x-goog-if-generation-match": "0", "accept": "*/*",
      ]) { $1 }
    ),
    SignedURL(
      method: "POST",
      path: "/photos/a",
      query: credentials("host%3Bx-goog-resumable") + "&empty=&userProject=shop"
        + "&X-Goog-Signature=e654b60dd2c62562bbfba18855ef6f9aa518320c928986b704210ed697454331",
      headers: ["host": "127.0.0.1:8080", "x-goog-resumable": "start"]
    ),
    SignedURL(
      method: "GET",
      path: "/photos/users/ana/a%20b.png",
      query: "X-Goog-Algorithm=GOOG4-HMAC-SHA256"
        + "&X-Goog-Credential=GOOGTS7C7FUP3AIRVJTE2BCD%2F20260131%2Fauto%2Fstorage%2Fgoog4_request"
        + "&X-Goog-Date=20260131T120000Z&X-Goog-Expires=600&X-Goog-SignedHeaders=host"
        + "&response-content-type=text%2Fplain%3B%20a%3Db"
        + "&X-Goog-Signature=3278cefcc2c979af85c1f47ace72389792c1ca27b7b104a59c34bcbce970b9f4",
      headers: google
    ),
  ]

  private static func credentials(_ headers: String) -> String {
    "X-Goog-Algorithm=GOOG4-RSA-SHA256"
      + "&X-Goog-Credential=robot%40shop.iam.brasa%2F20260131%2Fauto%2Fstorage%2Fgoog4_request"
      + "&X-Goog-Date=20260131T120000Z&X-Goog-Expires=3600&X-Goog-SignedHeaders=\(headers)"
  }

  private static func problem(
    _ request: SignableRequest,
    now: Int64 = signed
  ) throws -> SignatureProblem? {
    do {
      let signature = try #require(try RequestSignature(request))
      try digesting.verify(signature, of: request, now: now)
      return nil
    } catch let problem as SignatureProblem {
      return problem
    }
  }

  @Test(arguments: urls)
  func `a URL that another library signed is verified`(url: SignedURL) throws {
    #expect(try Self.problem(url.request) == nil)
  }

  @Test(arguments: urls)
  func `whatever is changed in a signed URL makes it another`(url: SignedURL) throws {
    var request = url.request
    request.method = "DELETE"
    #expect(try Self.problem(request) == .mismatch)
    request = url.request
    request.path += "x"
    #expect(try Self.problem(request) == .mismatch)
    request = url.request
    request.parameters.append((name: "generation", value: "1"))
    #expect(try Self.problem(request) == .mismatch)
    request = url.request
    request.headers["host"] = "elsewhere"
    #expect(try Self.problem(request) == .mismatch)
    request.headers["host"] = nil
    #expect(try Self.problem(request) == .missingHeader("host"))
    request = url.request
    request.headers["x-goog-acl"] = "public-read"
    #expect(try Self.problem(request) == .unsignedHeader("x-goog-acl"))
    request = url.request
    let last = request.parameters.count - 1
    request.parameters[last].value = String(request.parameters[last].value.reversed())
    #expect(try Self.problem(request) == .mismatch)
  }

  @Test(
    arguments: [
      (0, nil), (3_600, nil), (3_601, SignatureProblem.expired(at: signed + 3_600)), (-900, nil),
      (-901, .notYetValid),
    ] as [(Int64, SignatureProblem?)]
  )
  func `a URL is valid from when it was signed, give or take, until it expires`(
    after: Int64,
    expected: SignatureProblem?
  ) throws {
    #expect(try Self.problem(Self.urls[0].request, now: Self.signed + after) == expected)
  }

  @Test(arguments: [
    ("Expires", "0"), ("Expires", "604801"), ("Expires", "-1"), ("Expires", "x"),
    ("Algorithm", "GOOG4-NONE"), ("Algorithm", "AWS4-HMAC-SHA256"), ("Date", "20260132T120000Z"),
    ("Date", "20260201T120000Z"), ("Date", "20260131T240000Z"), ("Date", ""),
    ("SignedHeaders", "accept"), ("SignedHeaders", "host;host"), ("SignedHeaders", ""),
    ("Signature", "zz"), ("Signature", ""), ("Signature", "abc"), ("Credential", "a/b"),
    ("Credential", "a/20260131/auto/storage/aws4_request"),
    ("Credential", "a/20260131/auto/other/goog4_request"),
  ])
  func `a malformed parameter is named`(name: String, value: String) throws {
    var request = Self.urls[0].request
    let index = try #require(request.parameters.firstIndex { $0.name == "X-Goog-\(name)" })
    request.parameters[index].value = value
    #expect(try Self.problem(request) == .malformed("X-Goog-\(name)"))
    request.parameters.remove(at: index)
    if name != "Algorithm" { #expect(try Self.problem(request) == .malformed("X-Goog-\(name)")) }
  }

  @Test func `a parameter that comes twice is malformed`() throws {
    var request = Self.urls[0].request
    request.parameters.append((name: "X-Goog-Expires", value: "60"))
    #expect(try Self.problem(request) == .malformed("X-Goog-Expires"))
  }

  @Test func `requests without a signature have none`() throws {
    let headers = [["host": "h"], ["host": "h", "authorization": "Bearer owner"]]
    for headers in headers {
      let request = SignableRequest(method: "GET", path: "/a", parameters: [], headers: headers)
      #expect(try RequestSignature(request) == nil)
    }
  }

  /// The example "GET Object" of the documentation of S3's signatures.
  @Test func `the documentation's example is signed as it says`() throws {
    let signer = RequestSigner(
      .amazon,
      accessID: "AKIAIOSFODNN7EXAMPLE",
      secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
      region: "us-east-1"
    )
    let empty = Hexadecimal.text(SHA256.hash(data: [UInt8]()))
    var request = SignableRequest(
      method: "GET",
      path: "/test.txt",
      parameters: [],
      headers: ["host": "examplebucket.s3.amazonaws.com", "range": "bytes=0-9"]
    )
    let time = try #require(BasicTime("20130524T000000Z"))
    request.headers = signer.headers(for: request, payloadHash: empty, now: time.seconds)
    #expect(
      request.headers["authorization"]
        == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
        + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
        + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"
    )
    let verifier = SignatureVerifier(
      secret: { $0.hasPrefix("AKIA") ? "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" : nil },
      keyID: { _, _, _ in nil }
    )
    let signature = try #require(try RequestSignature(request))
    try verifier.verify(signature, of: request, now: time.seconds + 900)
    #expect(throws: SignatureProblem.expired(at: time.seconds + 900)) {
      try verifier.verify(signature, of: request, now: time.seconds + 901)
    }
    request.headers["range"] = "bytes=0-10"
    #expect(throws: SignatureProblem.mismatch) {
      try verifier.verify(signature, of: request, now: time.seconds)
    }
  }

  @Test(
    arguments: [
      ("19700101T000000Z", 0), ("20000229T235959Z", 951_868_799), ("19691231T235959Z", -1),
      ("20260131T120000Z", signed), ("21000228T000000Z", 4_107_456_000),
    ] as [(String, Int64)]
  )
  func `a time is what its text says`(text: String, seconds: Int64) {
    #expect(BasicTime(text)?.seconds == seconds)
    #expect(BasicTime(seconds: seconds).text == text)
  }

  @Test(arguments: [
    "20260229T000000Z", "20261301T000000Z", "20260100T000000Z", "2026-01-31T12Z",
    "20260131T126000Z",
    "20260131 120000Z", "20260131T120000z", "", "20260131T1200000",
  ])
  func `other texts are no time`(text: String) { #expect(BasicTime(text) == nil) }
}
