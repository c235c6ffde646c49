import Testing

@testable import StorageWire

/// Signatures of version 2 by a shared secret, against the examples of Amazon's documentation.
struct SharedSecretSignatureTests {
  private static let accessID = "AKIAIOSFODNN7EXAMPLE"
  private static let verifier = SignatureVerifier(
    secret: { $0 == accessID ? "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" : nil },
    keyID: { _, _, _ in nil }
  )

  /// A request whose signature Amazon's documentation has.
  struct Example: Sendable, CustomTestStringConvertible {
    var method = "GET"
    let path: String
    var parameters: [(name: String, value: String)] = []
    var headers: [String: String]
    let signature: String
    /// Seconds since 1970.
    let time: Int64

    var testDescription: String { "\(method) \(path) \(signature)" }

    var request: SignableRequest {
      SignableRequest(
        method: method,
        path: path,
        parameters: parameters,
        headers: headers.merging([
          "authorization": "AWS \(accessID):\(signature)", "host": "s3.amazonaws.com",
        ]) { $1 }
      )
    }
  }

  static let examples = [
    Example(
      path: "/johnsmith/photos/puppy.jpg",
      headers: ["date": "Tue, 27 Mar 2007 19:36:42 +0000"],
      signature: "bWq2s1WEIj+Ydj0vQ697zp+IXMU=",
      time: 1_175_024_202
    ),
    Example(
      method: "PUT",
      path: "/johnsmith/photos/puppy.jpg",
      headers: ["date": "Tue, 27 Mar 2007 21:15:45 +0000", "content-type": "image/jpeg"],
      signature: "MyyxeRY7whkBe+bq8fHCL/2kKUg=",
      time: 1_175_030_145
    ),
    Example(
      path: "/johnsmith/",
      parameters: [("prefix", "photos"), ("max-keys", "50"), ("marker", "puppy")],
      headers: ["date": "Tue, 27 Mar 2007 19:42:41 +0000"],
      signature: "htDYFYduRNen8P9ZfE/s9SuKy0U=",
      time: 1_175_024_561
    ),
    Example(
      path: "/johnsmith/",
      parameters: [("acl", "")],
      headers: ["date": "Tue, 27 Mar 2007 19:44:46 +0000"],
      signature: "c2WLPFtWHVgbEmeEG93a4cG37dM=",
      time: 1_175_024_686
    ),
    Example(
      method: "PUT",
      path: "/static.johnsmith.net/db-backup.dat.gz",
      headers: [
        "date": "Tue, 27 Mar 2007 21:06:08 +0000", "x-amz-acl": "public-read",
        "content-type": "application/x-download", "content-md5": "4gJE4saaMU4BqNR0kLY+lw==",
        "x-amz-meta-reviewedby": "joe@johnsmith.net,jane@johnsmith.net",
        "x-amz-meta-filechecksum": "0x02661779", "x-amz-meta-checksumalgorithm": "crc32",
        "content-disposition": "attachment; filename=database.dat", "content-encoding": "gzip",
      ],
      signature: "ilyl83RwaSoYIEdixDQcA4OnAnc=",
      time: 1_175_029_568
    ),
    Example(
      path: "/dictionary/fran%C3%A7ais/pr%c3%a9f%c3%a8re",
      headers: ["date": "Wed, 28 Mar 2007 01:29:59 +0000"],
      signature: "Rc9I3kjFyMpGaivs/1zlrBA1XPw=",
      time: 1_175_045_399
    ),
    // The date is not signed where x-amz-date is, which another library computed.
    Example(
      method: "DELETE",
      path: "/johnsmith/photos/puppy.jpg",
      headers: [
        "date": "Tue, 27 Mar 2007 21:20:27 +0000", "x-amz-date": "Tue, 27 Mar 2007 21:20:26 +0000",
      ],
      signature: "R4dJ53KECjStyBO5iTBJZ4XVOaI=",
      time: 1_175_030_426
    ),
  ]

  private static func problem(_ request: SignableRequest, now: Int64) throws -> SignatureProblem? {
    do {
      let signature = try #require(try Version2Signature(request))
      #expect(signature.dialect == .amazon)
      let key = try verifier.verify(signature, of: request, now: now)
      guard case .secret(_, accessID: accessID) = key else { return .malformed("key") }
      return nil
    } catch let problem as SignatureProblem {
      return problem
    }
  }

  @Test(arguments: examples)
  func `an example is verified within 15 minutes of its date`(example: Example) throws {
    let (request, time) = (example.request, example.time)
    for now in [time - 900, time, time + 900] {
      #expect(try Self.problem(request, now: now) == nil)
    }
    #expect(try Self.problem(request, now: time - 901) == .notYetValid)
    #expect(try Self.problem(request, now: time + 901) == .expired(at: time + 900))
  }

  @Test(arguments: examples)
  func `whatever is changed in a request makes it another`(example: Example) throws {
    let changes: [@Sendable (inout SignableRequest) -> Void] = [
      { $0.method = "POST" }, { $0.path += "x" },
      { $0.headers["content-type"] = "text/html" }, { $0.headers["content-md5"] = "x" },
      { $0.headers["x-amz-copy-source"] = "/johnsmith/secret" },
      { $0.headers["x-goog-copy-source"] = "/johnsmith/secret" },
      { $0.parameters.append((name: "uploadId", value: "1")) },
      { $0.parameters.append((name: "versionId", value: "1")) },
      { $0.parameters.append((name: "response-content-type", value: "text/html")) },
      { $0.parameters.append((name: "cors", value: "")) },
      { _ = $0.headers["authorization"]?.replace(Self.accessID, with: "AKIAOTHER") },
    ]
    for change in changes {
      var request = example.request
      change(&request)
      #expect(try Self.problem(request, now: example.time) == .mismatch)
    }
  }

  @Test func `a bucket may be signed with its slash`() throws {
    var request = Self.examples[2].request
    request.path = "/johnsmith"
    #expect(try Self.problem(request, now: Self.examples[2].time) == nil)
    request = Self.examples[0].request
    request.path += "/"
    #expect(try Self.problem(request, now: Self.examples[0].time) == .mismatch)
  }

  @Test func `a request that changes something has no parameter that is not signed`() throws {
    var request = Self.examples[1].request
    request.parameters.append((name: "x-id", value: "PutObject"))
    #expect(try Self.problem(request, now: Self.examples[1].time) == nil)
    request.parameters.append((name: "generation", value: "1"))
    #expect(try Self.problem(request, now: Self.examples[1].time) == .mismatch)
  }

  @Test func `a URL by a secret is verified until it expires`() throws {
    let end: Int64 = 1_175_139_620
    var request = SignableRequest(
      method: "GET",
      path: "/johnsmith/photos/puppy.jpg",
      parameters: [
        ("AWSAccessKeyId", Self.accessID), ("Signature", "NpgCjnDzrM+WFzoENXmpNDUsSn8="),
        ("Expires", "\(end)"),
      ],
      headers: [:]
    )
    #expect(try Self.problem(request, now: end) == nil)
    #expect(try Self.problem(request, now: end + 1) == .expired(at: end))
    request.parameters.append((name: "response-content-type", value: "text/html"))
    #expect(try Self.problem(request, now: end) == .mismatch)
    request.parameters[3] = (name: "GoogleAccessId", value: Self.accessID)
    #expect(try Self.problem(request, now: end) == .malformed("AWSAccessKeyId"))
  }

  @Test func `a header's signature is none of a URL, nor the other way round`() throws {
    // The text that is signed for a URL has the end where that for a header has a date.
    let dated = SignableRequest(
      method: "GET",
      path: "/johnsmith/photos/puppy.jpg",
      parameters: [],
      headers: [
        "authorization": "AWS \(Self.accessID):NpgCjnDzrM+WFzoENXmpNDUsSn8=", "date": "1175139620",
      ]
    )
    #expect(try Self.problem(dated, now: 1_175_139_620) == .malformed("date"))
  }

  @Test(arguments: [
    "AWS x", "AWS :bWq2s1WEIj+Ydj0vQ697zp+IXMU=", "AWS AKIAIOSFODNN7EXAMPLE:", "AWS a:?", "GOOG1 ",
  ])
  func `a malformed header is named`(header: String) throws {
    var request = Self.examples[0].request
    request.headers["authorization"] = header
    #expect(throws: SignatureProblem.malformed("Authorization")) { try Version2Signature(request) }
  }

  @Test func `a request without a date is refused by its name`() throws {
    var request = Self.examples[0].request
    request.headers["date"] = nil
    #expect(throws: SignatureProblem.malformed("date")) { try Version2Signature(request) }
    request.headers["x-amz-date"] = "yesterday"
    #expect(throws: SignatureProblem.malformed("x-amz-date")) { try Version2Signature(request) }
  }

  @Test(
    arguments: [
      ("Sat, 28 Nov 2026 16:00:00 GMT", 1_795_881_600),
      ("Sat, 28 Nov 2026 16:00:00 +0000", 1_795_881_600),
      ("Sat, 28 Nov 2026 13:00:00 -0300", 1_795_881_600), ("20261128T160000Z", 1_795_881_600),
      ("Sat, 28 Nov 2026 21:30:00 +0530", 1_795_881_600), ("Sat, 31 Nov 2026 16:00:00 GMT", nil),
      ("Sat, 28 Nov 2026 16:00 GMT", nil), ("Sat, 28 Nov 2026 16:00:00 BRT", nil),
      ("28 Nov 2026 16:00:00 GMT", nil), ("", nil), ("Sat, 28 Nov 2026 16:00:00 +9:00", nil),
    ] as [(String, Int64?)]
  )
  func `dates are read in the forms that clients write`(text: String, expected: Int64?) {
    #expect(SignedDate.seconds(text) == expected)
  }
}
