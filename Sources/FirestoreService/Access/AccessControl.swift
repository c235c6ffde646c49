import FirestoreModel

/// The one choke point: every call names its caller and is authorised here before it reaches data.
///
/// Production accepts the administrator key as a bearer token over an encrypted connection and
/// denies everyone else. Development accepts what the emulator's environment variables make
/// Google's clients send: `Bearer owner`, access tokens that begin with `ya29.`, or nothing.
package struct AccessControl: Sendable {
  /// How strictly callers are judged.
  package enum Mode: Sendable {
    /// Everybody is an administrator; only for development on loopback.
    case development
    case production(key: AdministratorKey)
  }

  package let mode: Mode

  /// Judges callers by that mode.
  package init(mode: Mode) { self.mode = mode }

  /// Who calls; throws UNAUTHENTICATED for credentials that are not valid.
  package func identify(_ context: CallContext) throws(FirestoreError) -> Caller {
    guard let authorization = context.authorization else { return .nobody }
    guard let token = Self.bearerToken(authorization) else { throw Self.invalidCredentials }
    switch mode {
    case .development:
      guard Self.isEmulatorOwner(token) else { throw Self.invalidCredentials }
      return .administrator
    case .production(let key):
      guard key.matches(token) else { throw Self.invalidCredentials }
      guard context.isSecure || context.isLocal else {
        throw FirestoreError(
          .unauthenticated,
          "The administrator key is accepted over TLS only."
        )
      }
      return .administrator
    }
  }

  /// Turns away who could not be allowed anything, before the request is even read.
  package func admit(_ caller: Caller) throws(FirestoreError) {
    if case (.production, .nobody) = (mode, caller) { throw Self.denied }
  }

  /// Lets the call reach data or throws PERMISSION_DENIED.
  ///
  /// Every operation passes here once with all that it will touch, before it touches anything.
  package func authorize(_ caller: Caller, _ request: AccessRequest) throws(FirestoreError) {
    switch (mode, caller) {
    case (_, .administrator), (.development, .nobody): return
    case (.production, .nobody), (_, .user):
      throw Self.denied
    }
  }

  private static let denied = FirestoreError(
    .permissionDenied,
    "Missing or insufficient permissions."
  )

  /// The text for credentials that do not verify; production's own.
  private static let invalidCredentials = FirestoreError(
    .unauthenticated,
    "Missing or invalid authentication."
  )

  /// The token of an `authorization` header; the scheme's case does not matter.
  private static func bearerToken(_ header: String) -> Substring? {
    let scheme = header.prefix(7)
    guard scheme.utf8.count == 7, scheme.lowercased() == "bearer " else { return nil }
    let token = header.dropFirst(7)
    return token.isEmpty ? nil : token
  }

  private static func isEmulatorOwner(_ token: Substring) -> Bool {
    token.lowercased() == "owner" || token.hasPrefix("ya29.")
  }
}
