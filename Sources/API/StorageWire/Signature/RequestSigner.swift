import BaseText

/// Signs requests with a shared secret: what a client of S3 does.
package struct RequestSigner: Sendable {
  /// The spelling that the server expects: `amazon` for S3, `google` for Google's XML API.
  package let dialect: SignatureDialect
  /// The public half of the key, which the request names.
  package let accessID: String
  /// The region in the scope, which the server must accept.
  package let region: String
  private let secret: String

  /// A signer with that key, for a region.
  package init(_ dialect: SignatureDialect, accessID: String, secret: String, region: String) {
    self.dialect = dialect
    self.accessID = accessID
    self.secret = secret
    self.region = region
  }

  /// The headers with which a request is sent: those that it has and `authorization` with what that needs.
  ///
  /// `host` has to be among the headers. All of them are signed.
  ///
  /// - Parameters:
  ///   - payloadHash: The body's SHA-256 in hexadecimal, or `CanonicalRequest.unsignedPayload`.
  ///   - now: In seconds since 1970.
  package func headers(
    for request: SignableRequest,
    payloadHash: String,
    now: Int64
  ) -> [String: String] {
    let time = BasicTime(seconds: now)
    var headers = request.headers
    headers[dialect.headerPrefix + "date"] = time.text
    headers[dialect.headerPrefix + "content-sha256"] = payloadHash
    let canonical = CanonicalRequest(
      method: request.method,
      path: request.path,
      parameters: request.parameters,
      headers: headers,
      payloadHash: payloadHash
    )
    let scope = CredentialScope(date: time.date, region: region, dialect)
    let algorithm = dialect.hmacAlgorithm
    let text = canonical.stringToSign(algorithm: algorithm, time: time, scope: scope)
    let signature = DerivedKey.signature(of: text, secret: secret, scope: scope, dialect)
    let names = headers.keys.sorted().joined(separator: ";")
    headers["authorization"] =
      "\(algorithm) Credential=\(accessID)/\(scope.text), SignedHeaders=\(names), "
      + "Signature=\(Hexadecimal.text(signature))"
    return headers
  }
}
