import BaseStatus
import BaseText

// Administrators who signed in. Their tokens make them administrators of exactly the calls that
// their roles allow. For all later code, a viewer on a reading route is an administrator, and is
// refused here on every other route. A caller with a role for single projects is an administrator
// of only those projects: a separate kind of caller, refused by every permit about anything else.

extension AccessControl {
  /// The administrator, of all or of some projects, that a signed-in administrator's token makes of its holder; nil for
  /// every other token.
  ///
  /// Throws UNAUTHENTICATED for a token that has ended. Throws PERMISSION_DENIED if the roles do
  /// not allow the call anywhere, if it would change something without a trace, or if it needs a
  /// recent sign-in and this one is not.
  func signedInAdministrator(
    holding token: Substring,
    _ context: CallContext
  ) throws(ServiceError) -> Caller? {
    guard token.hasPrefix(Self.administratorTokenPrefix) else { return nil }
    guard let holder = administrators?.holder(of: token) else { throw Self.invalidCredentials }
    context.actor?.note(holder)
    guard let caller = holder.roles.caller(for: context.demand),
      context.demand == .viewer || context.actor != nil
    else {
      throw ServiceError(.permissionDenied, "Your role does not allow this.")
    }
    if context.takesRecentSignIn { try requireRecentSignIn(holding: token) }
    return caller
  }

  /// Throws PERMISSION_DENIED to a signed-in administrator whose sign-in is not recent.
  ///
  /// Calls that turn out to be serious once the body is known use it. The credentials of all other
  /// callers are verified with each call.
  package func requireRecentSignIn(_ context: CallContext) throws(ServiceError) {
    guard context.actor?.administrator != nil else { return }
    let token = context.authorization?.split(separator: " ").last ?? ""
    if token.hasPrefix(Self.administratorTokenPrefix) { try requireRecentSignIn(holding: token) }
  }

  private func requireRecentSignIn(holding token: Substring) throws(ServiceError) {
    guard administrators?.signedInLately(holding: token) == true else { throw Self.oldSignIn }
  }

  /// The console's page knows it by its first word, and asks to sign in again.
  private static let oldSignIn = ServiceError(
    .permissionDenied,
    "RECENT_SIGN_IN_REQUIRED : Sign in again to do this."
  )

  /// The user for an administrator's view of data; nil for every other token.
  ///
  /// The rules answer as they do to the user. Throws UNAUTHENTICATED for a token that is over, and PERMISSION_DENIED for what could change something.
  func viewedUser(
    holding token: Substring,
    _ context: CallContext
  ) throws(ServiceError) -> Caller? {
    guard token.hasPrefix(Self.viewTokenPrefix) else { return nil }
    guard let user = administrators?.viewedUser(of: token) else { throw Self.invalidCredentials }
    guard context.demand == .viewer else {
      throw ServiceError(
        .permissionDenied,
        "Data can't be changed while you view it as a user."
      )
    }
    return .user(user)
  }

  /// The subject of a call of the console's own routes, which decides whose roles allow it.
  package enum ConsoleSubject: Sendable, Equatable {
    /// The server: the role for all projects counts.
    case server
    case project(Text)
    /// Something that every administrator has, as an account: any role on any project is enough.
    case own
  }

  /// The administrator who calls the console's own routes; throws PERMISSION_DENIED for other
  /// callers.
  ///
  /// In production only who signed in counts, neither the administrator key nor service accounts.
  /// Development mode has no sign-in, and so no name. Touches no disk in production.
  package func consoleAdministrator(
    _ context: CallContext,
    of subject: ConsoleSubject
  ) throws(ServiceError) -> SignedInAdministrator? {
    if case .development = mode {
      try requireAdministration(try identify(context))
      return context.actor?.administrator
    }
    guard context.authorization != nil else { throw Self.invalidCredentials }
    let caller = try identifyInMemory(context)
    guard let caller, let administrator = context.actor?.administrator else { throw Self.denied }
    switch subject {
    case .own: guard caller.isAdministrator else { throw Self.denied }
    case .server: try requireAdministration(caller)
    case .project(let project): try requireAdministration(caller, of: project)
    }
    return administrator
  }
}
