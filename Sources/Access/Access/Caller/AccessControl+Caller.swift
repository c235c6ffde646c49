import FirestoreModel

// Identifying callers by their credentials.

extension AccessControl {
  /// Identifies the caller; throws UNAUTHENTICATED for credentials that are not valid.
  package func identify(_ context: CallContext) throws(FirestoreError) -> Caller {
    guard let authorization = context.authorization else { return .nobody }
    if context.isForeignPage, Self.bearerToken(authorization).map(Self.isEmulatorOwner) == true {
      throw Self.foreignPage
    }
    if let known = context.memory?.caller(of: authorization), isValid(known) { return known }
    guard let token = Self.bearerToken(authorization) else { throw Self.invalidCredentials }
    if let administrator = try administrator(holding: token, context) {
      context.memory?.noteCredentials()
      context.memory?.remember(authorization, administrator)
      return administrator
    }
    let caller = try user(holding: token, context)
    context.memory?.noteCredentials()
    // A back end's token expires or is revoked, which `.administrator` alone could not tell later.
    if case .user = caller { context.memory?.remember(authorization, caller) }
    return caller
  }

  /// Whether the credentials of a caller that was identified earlier are still valid: signed tokens
  /// expire, or are revoked.
  package func isValid(_ caller: Caller) -> Bool {
    guard case .user(let user) = caller, let verifier, user.isSigned else { return true }
    return verifier.isValid(user)
  }

  /// A check, to be made again and again, of whether the credentials of a call that goes on are still
  /// valid; cheap.
  package func validity(of caller: Caller, _ context: CallContext) -> @Sendable () -> Bool {
    switch caller {
    case .nobody: return { true }
    case .user: return { [self] in isValid(caller) }
    case .administrator:
      guard let token = context.authorization.flatMap(Self.bearerToken),
        (try? administrator(holding: token, context)) == nil
      else { return { true } }
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
  ) throws(FirestoreError) -> Caller? {
    switch mode {
    case .development: return Self.isEmulatorOwner(token) ? .administrator : nil
    case .production(let key):
      guard key.matches(token) else { return nil }
      guard context.isSecure || context.isLocal else {
        throw FirestoreError(
          .unauthenticated,
          "The administrator key is accepted over TLS only."
        )
      }
      return .administrator
    }
  }

  /// The holder of a token.
  private func user(
    holding token: Substring,
    _ context: CallContext
  ) throws(FirestoreError) -> Caller {
    if case .development = mode {
      let unsigned = try UnsignedToken(token)
      guard unsigned.isSigned, verifier != nil else { return .user(unsigned.identity) }
    }
    guard let verifier else { throw Self.invalidCredentials }
    return try verifier.caller(holding: token, isSecure: context.isSecure || context.isLocal)
  }

  /// The error for administrators of development that a web page claims to be.
  private static let foreignPage = FirestoreError(
    .permissionDenied,
    "Pages of this origin are no administrators of this development server: --dev-origin names those "
      + "that are."
  )

  /// The token of an `authorization` header; the scheme's case does not matter.
  private static func bearerToken(_ header: String) -> Substring? {
    let scheme = header.prefix(7)
    guard scheme.utf8.count == 7, scheme.lowercased() == "bearer " else { return nil }
    let token = header.dropFirst(7)
    return token.isEmpty ? nil : token
  }

  private static func isEmulatorOwner(_ token: Substring) -> Bool {
    token.utf8.count < 6 && token.lowercased() == "owner" || token.hasPrefix("ya29.")
  }
}
