import Testing

@testable import StorageWire

/// URLs of version 2 against what Google's library for Python signs.
struct Version2SignatureTests {
  private static let end: Int64 = 1_769_864_400

  /// A URL as its signer made it; the signature is the digest of the text that was signed.
  struct SignedURL: Sendable, CustomTestStringConvertible {
    var method = "GET"
    var path = "/photos/a"
    let signature: String
    var parameters: [String: String] = [:]
    var headers: [String: String] = [:]

    var testDescription: String { "\(method) \(path) \(parameters.keys.sorted())" }

    var request: SignableRequest {
      let all = parameters.merging([
        "Expires": "1769864400", "GoogleAccessId": "robot@shop.iam.brasa", "Signature": signature,
      ]) { $1 }
      return SignableRequest(
        method: method,
        path: path,
        parameters: all.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) },
        headers: headers.merging(["host": "storage.googleapis.com"]) { $1 }
      )
    }
  }

  static let urls = [
    SignedURL(
      path: "/photos/users/ana/1.png",
      signature: "41q3NLstgPz+9R1NgohrHEzs8xdX+YMEVE0fMxITsqc="
    ),
    SignedURL(
      path: "/photos/users/ana/a%20b%2Bc%25%C3%A7%C3%A3o.png",
      signature: "IEiU045mNRlqEsoRKMGGo0VEvtbBnlbdPPllWpgIAaA=",
      parameters: [
        "generation": "17", "response-content-type": "text/plain",
        "response-content-disposition": #"attachment; filename="ç.png""#,
      ]
    ),
    SignedURL(
      method: "PUT",
      signature: "wYuSghpGgaMxkOcfd7RbcmYCNuKOJhwNUd6eSIeSC9o=",
      headers: [
        "content-type": "image/png", "content-md5": "1B2M2Y8AsgTpgAmY7PhCfg==", "accept": "*/*",
        "x-goog-meta-color": "  light   blue ", "x-goog-if-generation-match": "0",
      ]
    ),
    SignedURL(
      method: "POST",
      signature: "abreLIaET0SHF+M9RIRab0vx4q9lXlWoEb9Wd/Vh5L4=",
      headers: ["content-type": "text/plain", "x-goog-resumable": "start"]
    ),
    SignedURL(
      signature: "cMpJY6FcnOLjfYhTVbbZqO7VkPcRMxOLVCK2Aur5e+s=",
      parameters: ["b": "", "uploadid": "x y"]
    ),
  ]

  private static func problem(
    _ request: SignableRequest,
    now: Int64 = end - 1
  ) throws -> SignatureProblem? {
    do {
      let signature = try #require(try Version2Signature(request))
      let key = try SignatureTests.digesting.verify(signature, of: request, now: now)
      #expect(key == .account("robot@shop.iam.brasa", keyID: "key"))
      return nil
    } catch let problem as SignatureProblem {
      return problem
    }
  }

  @Test(arguments: urls)
  func `a URL that Google's library signed is verified until it expires`(url: SignedURL) throws {
    #expect(try Self.problem(url.request) == nil)
    #expect(try Self.problem(url.request, now: Self.end) == nil)
    #expect(try Self.problem(url.request, now: Self.end + 1) == .expired(at: Self.end))
  }

  @Test(arguments: urls)
  func `whatever is changed in a URL, or added to its request, makes it another`(
    url: SignedURL
  ) throws {
    let changes: [@Sendable (inout SignableRequest) -> Void] = [
      { $0.method = "DELETE" }, { $0.path += "x" },
      { $0.headers["content-type"] = "text/html" }, { $0.headers["content-md5"] = "x" },
      { $0.headers["x-goog-meta-a"] = "1" },
      // It names the source of a copy.
      { $0.headers["x-amz-copy-source"] = "/photos/secret" },
      { $0.headers["x-goog-copy-source"] = "/photos/secret" },
      // It is about another thing then: the parts of an upload, or a part.
      { $0.parameters.append((name: "uploadId", value: "1")) },
      { $0.parameters.append((name: "uploads", value: "")) },
      { $0.parameters.append((name: "cors", value: "")) },
      { request in
        let index = request.parameters.firstIndex { $0.name == "Expires" } ?? 0
        request.parameters[index].value = "1769864401"
      },
    ]
    for change in changes {
      var request = url.request
      change(&request)
      #expect(try Self.problem(request) == .mismatch)
    }
  }

  @Test func `only a download may name a generation that was not signed`() throws {
    let generation = (name: "generation", value: "1")
    for (url, expected) in zip(Self.urls, [nil, nil, .mismatch] as [SignatureProblem?]) {
      var request = url.request
      if url.parameters.isEmpty { request.parameters.append(generation) }
      #expect(try Self.problem(request) == expected)
    }
  }

  @Test(arguments: [
    ("GoogleAccessId", ""), ("GoogleAccessId", nil), ("Expires", "soon"), ("Expires", "-1"),
    ("Expires", nil), ("Signature", "?"), ("Signature", ""), ("Signature", nil),
  ])
  func `a malformed parameter is named`(name: String, value: String?) throws {
    var request = Self.urls[0].request
    let index = try #require(request.parameters.firstIndex { $0.name == name })
    request.parameters.remove(at: index)
    if let value { request.parameters.append((name: name, value: value)) }
    #expect(try Self.problem(request) == .malformed(name))
    request = Self.urls[0].request
    request.parameters.append(request.parameters[index])
    #expect(try Self.problem(request) == .malformed(name))
  }

  @Test func `a request without the parameters has no signature`() throws {
    let request = SignableRequest(method: "GET", path: "/a", parameters: [], headers: [:])
    #expect(try Version2Signature(request) == nil)
  }

  @Test func `signatures of unknown accounts count in development alone`() throws {
    let request = Self.urls[0].request
    let signature = try #require(try Version2Signature(request))
    func verifier(_ takesForeign: Bool) -> SignatureVerifier {
      SignatureVerifier(
        secret: { _ in nil },
        keyID: { _, _, _ in nil },
        takesForeign: { account in takesForeign && account == "robot@shop.iam.brasa" }
      )
    }
    let key = try verifier(true).verify(signature, of: request, now: 0)
    #expect(key == .foreign("robot@shop.iam.brasa"))
    #expect(throws: SignatureProblem.mismatch) {
      try verifier(false).verify(signature, of: request, now: 0)
    }
    #expect(throws: SignatureProblem.expired(at: Self.end)) {
      try verifier(true).verify(signature, of: request, now: Self.end + 1)
    }
    for url in SignatureTests.urls {
      let signature = try #require(try RequestSignature(url.request))
      let isKnown = signature.account == "robot@shop.iam.brasa"
      let outcome = try? verifier(true).verify(
        signature,
        of: url.request,
        now: SignatureTests.signed
      )
      #expect(outcome == (isKnown ? .foreign(signature.account) : nil))
    }
  }
}
