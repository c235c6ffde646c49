import FirestoreModel

// Administrators who signed in. Their tokens make them administrators of exactly the calls that their role
// allows: for all that comes after it, a viewer on a reading route is an administrator, and on every
// other route is refused here.

extension AccessControl {
  /// Whether a token is a signed-in administrator's whose role allows the call.
  ///
  /// Throws UNAUTHENTICATED for a token that is over, and PERMISSION_DENIED where the role does not allow it or the
  /// call would change something without a trace.
  func isSignedInAdministrator(
    holding token: Substring,
    _ context: CallContext
  ) throws(FirestoreError) -> Bool {
    guard token.hasPrefix(Self.administratorTokenPrefix) else { return false }
    guard let holder = administrators?.holder(of: token) else { throw Self.invalidCredentials }
    context.actor?.note(holder)
    guard holder.role >= context.demand, context.demand == .viewer || context.actor != nil else {
      throw FirestoreError(
        .permissionDenied,
        "The role \(holder.role.rawValue) does not allow this."
      )
    }
    return true
  }

  /// The administrator who calls the console's own routes; throws PERMISSION_DENIED to everybody else.
  ///
  /// In production only who signed in counts, neither the administrator key nor service accounts. In
  /// development nobody needs to, and there is nobody to name. Touches no disk in production.
  package func consoleAdministrator(
    _ context: CallContext
  ) throws(FirestoreError) -> SignedInAdministrator? {
    if case .development = mode {
      try requireAdministration(try identify(context))
      return context.actor?.administrator
    }
    guard context.authorization != nil else { throw Self.invalidCredentials }
    guard try identifyInMemory(context) == .administrator,
      let administrator = context.actor?.administrator
    else { throw Self.denied }
    return administrator
  }
}
