import Crypto
import FirestoreModel

/// Verifies signed requests by the keys of accounts.
///
/// Pure but for the keys: the time comes in. Any thread may call.
package struct SignatureVerifier: Sendable {
  /// The shared secret of an access id; nil where there is none in use.
  package let secret: @Sendable (String) throws -> String?
  /// Whether a signature over a message is by a key of that service account.
  package let isSigned:
    @Sendable (_ message: [UInt8], _ signature: [UInt8], _ account: String) throws -> Bool

  /// A verifier by those keys.
  package init(
    secret: @escaping @Sendable (String) throws -> String?,
    isSigned: @escaping @Sendable ([UInt8], [UInt8], String) throws -> Bool
  ) {
    self.secret = secret
    self.isSigned = isSigned
  }

  /// Checks times, headers and signature of a request; throws `SignatureProblem`, or what keys throw.
  ///
  /// - Parameter now: In seconds since 1970.
  package func verify(
    _ signature: RequestSignature,
    of request: SignableRequest,
    now: Int64
  ) throws {
    try Self.checkTimes(signature, now)
    let headers = try Self.signedHeaders(signature, of: request)
    let dialect = signature.dialect
    let payload = headers[dialect.headerPrefix + "content-sha256"]
    let canonical = CanonicalRequest(
      method: request.method,
      path: request.path,
      parameters: request.parameters.filter { $0.name != dialect.parameterPrefix + "Signature" },
      headers: headers,
      payloadHash: payload ?? CanonicalRequest.unsignedPayload
    )
    let text = canonical.stringToSign(
      algorithm: signature.algorithm,
      time: signature.time,
      scope: signature.scope
    )
    try verify(text, signature)
  }

  /// Checks that a text has that signature.
  func verify(_ text: String, _ signature: RequestSignature) throws {
    try verify(
      text,
      signature.signature,
      algorithm: signature.algorithm,
      account: signature.account,
      scope: signature.scope,
      signature.dialect
    )
  }

  func verify(
    _ text: String,
    _ signature: [UInt8],
    algorithm: String,
    account: String,
    scope: CredentialScope,
    _ dialect: SignatureDialect
  ) throws {
    if algorithm == dialect.hmacAlgorithm {
      // An unknown account takes the time of a known one.
      let known = try secret(account)
      let expected = DerivedKey.signature(
        of: text,
        secret: known ?? "",
        scope: scope,
        dialect
      )
      guard Self.areEqual(expected, signature), known != nil else {
        throw SignatureProblem.mismatch
      }
    } else {
      guard try isSigned(Array(text.utf8), signature, account) else {
        throw SignatureProblem.mismatch
      }
    }
  }

  private static func checkTimes(
    _ signature: RequestSignature,
    _ now: Int64
  ) throws(SignatureProblem) {
    let start = signature.time.seconds
    guard start - now <= RequestSignature.clockSkew else { throw .notYetValid }
    let end = start + (signature.lifetime ?? RequestSignature.clockSkew)
    guard now <= end else { throw .expired(at: end) }
  }

  /// The headers that are signed; what changes a request's meaning has to be among them.
  private static func signedHeaders(
    _ signature: RequestSignature,
    of request: SignableRequest
  ) throws(SignatureProblem) -> [String: String] {
    var headers: [String: String] = [:]
    for name in signature.signedHeaders {
      guard let value = request.headers[name] else { throw .missingHeader(name) }
      headers[name] = value
    }
    for name in request.headers.keys.sorted() where headers[name] == nil {
      if name.hasPrefix("x-goog-") || name.hasPrefix("x-amz-") { throw .unsignedHeader(name) }
    }
    return headers
  }

  /// Whether both have the same bytes; only their lengths show in the time it takes.
  private static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
  }
}
