import BaseRuntime
import BaseStatus

extension ByteLedger {
  /// The error for a caller whose request does not fit into memory.
  package static let exhausted = ServiceError(
    .resourceExhausted,
    "The server has no memory left for requests. Try again later."
  )
}

extension CallContext {
  /// Takes so many bytes of the process's memory for the call, for as long as the lease is kept; nil where no
  /// client made the call.
  ///
  /// Throws RESOURCE_EXHAUSTED where the client's share is used up.
  package func lease(
    _ bytes: Int,
    for kind: ByteLedger.Kind
  ) throws(ServiceError) -> ByteLease? {
    guard let account else { return nil }
    if let lease = ByteLease(account, bytes, for: kind) { return lease }
    // The connection learns of good credentials with the next call only.
    guard memory?.hasShownCredentials == true, !account.isTrusted else {
      throw ByteLedger.exhausted
    }
    account.trust()
    guard let lease = ByteLease(account, bytes, for: kind) else { throw ByteLedger.exhausted }
    return lease
  }
}
