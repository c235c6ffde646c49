import Crypto

/// The key by which a request was signed.
package enum SigningKey: Sendable, Equatable {
  /// A shared secret.
  case secret(String, accessID: String)
  /// A key of a service account, by its e-mail.
  case account(String, keyID: String)
  /// A key that this server does not have, so that nothing was verified: development alone.
  case foreign(String)
}

/// Verifies signed requests by the keys of accounts.
///
/// Pure but for the keys: the time comes in. Any thread may call.
package struct SignatureVerifier: Sendable {
  /// The shared secret of an access id; nil where there is none in use.
  package let secret: @Sendable (String) throws -> String?
  /// The id of the service account's key by which a message was signed; nil where it is none of its keys.
  package let keyID:
    @Sendable (_ message: [UInt8], _ signature: [UInt8], _ account: String) throws -> String?
  /// Returns true if a key that was found is still in use, from memory alone; false too where
  /// memory cannot tell.
  package let isInUse: @Sendable (SigningKey) -> Bool
  /// Returns true if the signatures of an account, or of an access id, are accepted unverified.
  ///
  /// Development accepts those that it knows nothing of, since back ends have their keys from elsewhere there; production
  /// accepts none.
  package let takesForeign: @Sendable (String) throws -> Bool

  /// A verifier by those keys.
  package init(
    secret: @escaping @Sendable (String) throws -> String?,
    keyID: @escaping @Sendable ([UInt8], [UInt8], String) throws -> String?,
    isInUse: @escaping @Sendable (SigningKey) -> Bool = { _ in false },
    takesForeign: @escaping @Sendable (String) throws -> Bool = { _ in false }
  ) {
    self.secret = secret
    self.keyID = keyID
    self.isInUse = isInUse
    self.takesForeign = takesForeign
  }

  /// Checks times, headers and signature of a request; throws `SignatureProblem`, or what keys throw.
  ///
  /// - Parameter now: In seconds since 1970.
  /// - Returns: The key.
  @discardableResult
  package func verify(
    _ signature: RequestSignature,
    of request: SignableRequest,
    now: Int64
  ) throws -> SigningKey {
    try signature.checkTimes(now)
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
    return try verify(text, signature)
  }

  /// Checks that a text has that signature.
  @discardableResult
  func verify(_ text: String, _ signature: RequestSignature) throws -> SigningKey {
    try verify(
      text,
      signature.signature,
      algorithm: signature.algorithm,
      account: signature.account,
      scope: signature.scope,
      signature.dialect
    )
  }

  @discardableResult
  func verify(
    _ text: String,
    _ signature: [UInt8],
    algorithm: String,
    account: String,
    scope: CredentialScope,
    _ dialect: SignatureDialect
  ) throws -> SigningKey {
    if algorithm == dialect.hmacAlgorithm {
      // An unknown account takes the time of a known one.
      let known = try secret(account)
      let expected = DerivedKey.signature(
        of: text,
        secret: known ?? "",
        scope: scope,
        dialect
      )
      guard Self.areEqual(expected, signature), let known else {
        return try foreignKey(of: account)
      }
      return .secret(known, accessID: account)
    }
    return try verify(anyOf: [text], signature, account: account)
  }

  /// The key of an account of which the server knows nothing; throws `mismatch` where such keys are not taken.
  func foreignKey(of account: String) throws -> SigningKey {
    guard try takesForeign(account) else { throw SignatureProblem.mismatch }
    return .foreign(account)
  }

  /// The signed headers; all headers that change a request's meaning must be among them.
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

  /// Returns true if both have the same bytes; only their lengths show in the time it takes.
  static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    guard left.count == right.count else { return false }
    var difference: UInt8 = 0
    for index in left.indices { difference |= left[index] ^ right[index] }
    return difference == 0
  }
}
