import Access
import ServiceModule
import StorageWire

/// A signature that a request has, with the key by which it was made.
struct VerifiedSignature: Sendable {
  /// The two versions of signatures.
  enum Version: Sendable {
    case version2(Version2Signature)
    case version4(RequestSignature)
  }

  let version: Version
  let key: SigningKey

  /// A signature of version 4.
  init(signature: RequestSignature, key: SigningKey) {
    version = .version4(signature)
    self.key = key
  }

  /// A signature of version 2.
  init(signature: Version2Signature, key: SigningKey) {
    version = .version2(signature)
    self.key = key
  }

  /// The dialect of the request's header and parameter names.
  var dialect: SignatureDialect {
    switch version {
    case .version2(let signature): signature.dialect
    case .version4(let signature): signature.dialect
    }
  }

  /// True if the signature depends on nothing but the request's method, host and target.
  var isOfTargetAlone: Bool {
    guard case .version4(let signature) = version else { return false }
    return signature.lifetime != nil && signature.signedHeaders == ["host"]
  }

  /// Throws unless it counts at a time, in seconds since 1970.
  func checkTimes(_ now: Int64) throws(SignatureProblem) {
    switch version {
    case .version2(let signature): try signature.checkTime(now)
    case .version4(let signature): try signature.checkTimes(now)
    }
  }
}

/// Identifies the sender of a request of the XML API: by its signature, its token or its lack of
/// both.
struct StorageSignatures: Sendable {
  let access: AccessControl
  let verifier: SignatureVerifier
  /// Seconds since 1970.
  let clock: @Sendable () -> Int64

  /// Throws unless the request is an administrator's.
  ///
  /// It must be signed with a service account's key, for this request alone, or have a token.
  /// Development mode accepts requests without either, but not those of foreign pages.
  ///
  /// Blocks.
  ///
  /// - Returns: The signature; nil where it was by a token.
  func requireAdministrator(_ request: XMLRequest) throws -> VerifiedSignature? {
    let context = request.base.context
    if let signature = try signature(of: request.signable) {
      try requireOwnKey(signature.key, context)
      return signature
    }
    let caller = try access.identify(context)
    if caller == .nobody, context.isForeignPage { throw AccessControl.denied }
    try access.requireAdministration(caller)
    return nil
  }

  /// The signature of a request, verified; nil where it has none.
  private func signature(of request: SignableRequest) throws -> VerifiedSignature? {
    if let signature = try RequestSignature(request) {
      let key = try verifier.verify(signature, of: request, now: clock())
      return VerifiedSignature(signature: signature, key: key)
    }
    guard let signature = try Version2Signature(request) else { return nil }
    let key = try verifier.verify(signature, of: request, now: clock())
    return VerifiedSignature(signature: signature, key: key)
  }

  /// Throws if a foreign page sends the request with a key that development takes on trust: such a page has no more
  /// rights with a signature of its own making than without one.
  private func requireOwnKey(_ key: SigningKey, _ context: CallContext) throws {
    if case .foreign = key, context.isForeignPage { throw AccessControl.denied }
  }

  /// Returns true if a signature that was verified before still holds; from memory alone, so that
  /// it may return false where it cannot tell.
  func isValid(_ verified: VerifiedSignature) -> Bool {
    do {
      try verified.checkTimes(clock())
      return verifier.isInUse(verified.key)
    } catch {
      return false
    }
  }

  /// The policy of a form that a service account signed; blocks.
  func policy(of fields: [String: String], _ context: CallContext) throws -> PostPolicy {
    let (_, key, policy) = try verifier.verify(form: fields, now: clock())
    try requireOwnKey(key, context)
    return policy
  }
}
