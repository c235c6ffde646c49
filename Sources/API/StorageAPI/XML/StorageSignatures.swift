import Access
import FirestoreModel
import ServiceModule
import StorageWire

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
  /// - Returns: Whether it was by a signature.
  func requireAdministrator(_ request: XMLRequest) throws -> Bool {
    let signable = request.signable
    if let signature = try RequestSignature(signable) {
      try verifier.verify(signature, of: signable, now: clock())
      return true
    }
    let context = request.base.context
    let caller = try access.identify(context)
    if caller == .nobody, context.isForeignPage { throw AccessControl.denied }
    try access.requireAdministration(caller)
    return false
  }

  /// The policy of a form that a service account signed; blocks.
  func policy(of fields: [String: String]) throws -> PostPolicy {
    try verifier.verify(form: fields, now: clock()).policy
  }
}
