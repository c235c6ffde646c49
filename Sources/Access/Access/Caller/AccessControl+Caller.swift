import BaseStatus

// Identifying callers by their credentials.

extension AccessControl {
  /// The content of a call's credentials before any token is verified.
  private enum Credentials {
    case caller(Caller)
    /// A token for the verifier, and the header that it came in.
    case token(Substring, authorization: String)
  }

  /// Identifies the caller; throws UNAUTHENTICATED for credentials that are not valid.
  ///
  /// May wait for the disk.
  package func identify(_ context: CallContext) throws(ServiceError) -> Caller {
    switch try credentials(of: context) {
    case .caller(let caller): return caller
    case .token(let token, let authorization):
      guard let verifier else { throw Self.invalidCredentials }
      let caller = try verifier.caller(holding: token, isSecure: context.isEncryptedOrLocal)
      remember(caller, authorization, context)
      return caller
    }
  }

  /// Identifies the caller from memory alone; nil where a token has to be verified first.
  ///
  /// For threads that must not block.
  package func identifyInMemory(_ context: CallContext) throws(ServiceError) -> Caller? {
    switch try credentials(of: context) {
    case .caller(let caller): return caller
    case .token(let token, let authorization):
      guard let verifier else { throw Self.invalidCredentials }
      let isSecure = context.isEncryptedOrLocal
      guard let caller = try verifier.knownCaller(holding: token, isSecure: isSecure)
      else { return nil }
      remember(caller, authorization, context)
      return caller
    }
  }

  /// True if a call's credentials were issued to an account, even one disabled since; from memory
  /// alone.
  package func recognizes(_ context: CallContext) -> Bool {
    guard let credentials = try? credentials(of: context) else { return false }
    switch credentials {
    case .caller(let caller): return caller != .nobody
    case .token(let token, _):
      guard verifier?.isGenuine(token) == true else { return false }
      context.memory?.noteCredentials()
      return true
    }
  }

  private func credentials(of context: CallContext) throws(ServiceError) -> Credentials {
    if let function = Self.function(context) { return .caller(function) }
    guard let authorization = context.authorization else { return .caller(.nobody) }
    if context.isForeignPage, Self.bearerToken(authorization).map(Self.isEmulatorOwner) == true {
      throw Self.foreignPage
    }
    if let known = context.memory?.caller(of: authorization), isValid(known) {
      return .caller(known)
    }
    guard let token = Self.bearerToken(authorization) else { throw Self.invalidCredentials }
    if let administrator = try signedInAdministrator(holding: token, context) {
      context.memory?.noteCredentials()
      return .caller(administrator)
    }
    if let user = try viewedUser(holding: token, context) { return .caller(user) }
    if let administrator = try administrator(holding: token, context) {
      context.memory?.noteCredentials()
      context.memory?.remember(authorization, administrator)
      return .caller(administrator)
    }
    if let user = try unsignedUser(holding: token, context) {
      remember(user, authorization, context)
      return .caller(user)
    }
    return .token(token, authorization: authorization)
  }

  /// The caller of a call that a function makes for itself: the administrator of its project.
  ///
  /// Google's SDKs send a constant, or nothing, where they have an emulator's address. A function that sends a user's token
  /// is that user.
  private static func function(_ context: CallContext) -> Caller? {
    guard let project = context.functionProject else { return nil }
    let token = context.authorization.flatMap(bearerToken)
    guard context.authorization == nil || token.map(isEmulatorOwner) == true else { return nil }
    return .projectAdministrator(of: [project])
  }

  private func remember(_ caller: Caller, _ authorization: String, _ context: CallContext) {
    context.memory?.noteCredentials()
    // A back end's token expires or is revoked, which `.administrator` alone could not tell later.
    if case .user = caller { context.memory?.remember(authorization, caller) }
  }

  /// True if the credentials of a caller that was identified earlier are still valid: signed tokens
  /// expire, or are revoked.
  package func isValid(_ caller: Caller) -> Bool {
    guard case .user(let user) = caller, let verifier, user.isSigned else { return true }
    return verifier.isValid(user)
  }

  /// A check, to be repeated, if the credentials of a continuing call are still valid; cheap.
  package func validity(of caller: Caller, _ context: CallContext) -> @Sendable () -> Bool {
    switch caller {
    case .nobody: return { true }
    case .user:
      guard let token = context.authorization.flatMap(Self.bearerToken),
        token.hasPrefix(Self.viewTokenPrefix)
      else { return { [self] in isValid(caller) } }
      return { [administrators] in administrators?.viewedUser(of: token) != nil }
    case .administrator, .projectAdministrator:
      // The connection is the credential.
      if context.functionProject != nil { return { true } }
      guard let token = context.authorization.flatMap(Self.bearerToken),
        (try? administrator(holding: token, context)) == nil
      else { return { true } }
      if token.hasPrefix(Self.administratorTokenPrefix) {
        return { [administrators] in administrators?.holder(of: token) != nil }
      }
      // A back end's token expires or is revoked.
      return { [self] in (try? user(holding: token, context)) == .administrator }
    }
  }

  /// Has `act` done whenever a caller's credentials may have been revoked.
  package func onRevocation(_ act: @escaping @Sendable () -> Void) {
    verifier?.onRevocation { _, _ in act() }
  }

  /// The caller whose credentials never expire; nil for everybody else.
  private func administrator(
    holding token: Substring,
    _ context: CallContext
  ) throws(ServiceError) -> Caller? {
    switch mode {
    case .development: return Self.isEmulatorOwner(token) ? .administrator : nil
    case .production(let key):
      guard key.matches(token) else { return nil }
      guard context.isSecure || context.isLocal else {
        throw ServiceError(
          .unauthenticated,
          "The administrator key is accepted only over TLS."
        )
      }
      return .administrator
    }
  }

  /// The holder of a token.
  private func user(
    holding token: Substring,
    _ context: CallContext
  ) throws(ServiceError) -> Caller {
    if let user = try unsignedUser(holding: token, context) { return user }
    guard let verifier else { throw Self.invalidCredentials }
    return try verifier.caller(holding: token, isSecure: context.isEncryptedOrLocal)
  }

  /// The user of a token that is valid without a proof; nil if the verifier must be called.
  private func unsignedUser(
    holding token: Substring,
    _ context: CallContext
  ) throws(ServiceError) -> Caller? {
    guard case .development = mode else { return nil }
    let unsigned = try UnsignedToken(token)
    if unsigned.isIssued, verifier != nil { return nil }
    guard !context.isForeignPage else { throw Self.unprovenToken }
    return .user(unsigned.identity)
  }

  /// The error for a token without a proof from a page that development does not trust.
  private static let unprovenToken = ServiceError(
    .unauthenticated,
    "Pages of this origin need a token that this development server issued. Allow the origin with --dev-origin."
  )

  /// The error for administrators of development that a web page claims to be.
  private static let foreignPage = ServiceError(
    .permissionDenied,
    "Pages of this origin are not administrators of this development server. Allow the origin with "
      + "that are."
  )

  /// The token of an `authorization` header; the scheme's case does not matter.
  ///
  /// Clients of Firebase's Storage name a scheme of their own.
  private static func bearerToken(_ header: String) -> Substring? {
    guard let space = header.firstIndex(of: " "),
      ["bearer", "firebase"].contains(header[..<space].lowercased())
    else { return nil }
    let token = header[header.index(after: space)...]
    return token.isEmpty ? nil : token
  }

  static func isEmulatorOwner(_ token: Substring) -> Bool {
    token.utf8.count < 6 && token.lowercased() == "owner" || token.hasPrefix("ya29.")
  }
}

extension CallContext {
  /// True if no third party can read the traffic.
  fileprivate var isEncryptedOrLocal: Bool { isSecure || isLocal }
}
