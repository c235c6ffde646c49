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

  /// The user as whom an administrator looks at data; nil for every other token.
  ///
  /// The rules answer as they do to the user. Throws UNAUTHENTICATED for a token that is over, and PERMISSION_DENIED for what could change something.
  func viewedUser(
    holding token: Substring,
    _ context: CallContext
  ) throws(FirestoreError) -> Caller? {
    guard token.hasPrefix(Self.viewTokenPrefix) else { return nil }
    guard let user = administrators?.viewedUser(of: token) else { throw Self.invalidCredentials }
    guard context.demand == .viewer else {
      throw FirestoreError(
        .permissionDenied,
        "Nothing is changed while data is viewed as a user."
      )
    }
    return .user(user)
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
