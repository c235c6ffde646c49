import Access
import FirestoreModel
import ServiceModule
import StorageWire

/// A signature that a request has, with the key by which it was made.
struct VerifiedSignature: Sendable {
  let signature: RequestSignature
  let key: SigningKey
}

/// Who a request of the XML API is from: by its signature, its token or its lack of both.
struct StorageSignatures: Sendable {
  let access: AccessControl
  let verifier: SignatureVerifier
  /// Seconds since 1970.
  let clock: @Sendable () -> Int64

  /// Throws unless the request is an administrator's: by a signature of a service account's key, which is for this
  /// request alone, or by a token; development takes requests without either, but not those of foreign pages.
  ///
  /// Blocks.
  ///
  /// - Returns: The signature; nil where it was by a token.
  func requireAdministrator(_ request: XMLRequest) throws -> VerifiedSignature? {
    let signable = request.signable
    if let signature = try RequestSignature(signable) {
      let key = try verifier.verify(signature, of: signable, now: clock())
      return VerifiedSignature(signature: signature, key: key)
    }
    let context = request.base.context
    let caller = try access.identify(context)
    if caller == .nobody, context.isForeignPage { throw AccessControl.denied }
    try access.requireAdministration(caller)
    return nil
  }

  /// Whether a signature that was verified before would still be; from memory alone, which may say no where it cannot tell.
  func isValid(_ verified: VerifiedSignature) -> Bool {
    do {
      try verified.signature.checkTimes(clock())
      return verifier.isInUse(verified.key)
    } catch {
      return false
    }
  }

  /// The policy of a form that a service account signed; blocks.
  func policy(of fields: [String: String]) throws -> PostPolicy {
    try verifier.verify(form: fields, now: clock()).policy
  }
}
