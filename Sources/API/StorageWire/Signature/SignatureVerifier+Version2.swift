import Crypto

// Signatures of version 2.
extension SignatureVerifier {
  /// Checks the time and the signature of a request; throws `SignatureProblem`, or what keys throw.
  ///
  /// - Parameter now: In seconds since 1970.
  /// - Returns: The key.
  package func verify(
    _ signature: Version2Signature,
    of request: SignableRequest,
    now: Int64
  ) throws -> SigningKey {
    try signature.checkTime(now)
    let texts = try signature.stringsToSign(request)
    return signature.isBySecret
      ? try verify(secretOf: signature.account, texts, signature.signature)
      : try verify(anyOf: texts, signature.signature, account: signature.account)
  }

  /// Checks that a service account signed one of those texts.
  func verify(
    anyOf texts: [String],
    _ signature: [UInt8],
    account: String
  ) throws -> SigningKey {
    for text in texts {
      if let keyID = try keyID(Array(text.utf8), signature, account) {
        return .account(account, keyID: keyID)
      }
    }
    return try foreignKey(of: account)
  }

  /// Checks that one of those texts is signed by a shared secret, with HMAC and SHA-1.
  func verify(
    secretOf accessID: String,
    _ texts: [String],
    _ signature: [UInt8]
  ) throws -> SigningKey {
    // An unknown access id takes the time of a known one.
    let known = try secret(accessID)
    let key = SymmetricKey(data: Array((known ?? "unknown").utf8))
    var isSigned = false
    for text in texts {
      let code = HMAC<Insecure.SHA1>.authenticationCode(for: Array(text.utf8), using: key)
      isSigned = Self.areEqual(Array(code), signature) || isSigned
    }
    guard isSigned, let known else { return try foreignKey(of: accessID) }
    return .secret(known, accessID: accessID)
  }
}
