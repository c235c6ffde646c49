import BaseRuntime

/// The settings of accounts on this server; those that differ by project are in
/// `ProjectConfiguration`.
package struct AccountsConfiguration: Sendable {
  /// The clock for all times in tokens and records; tests set their own.
  package var clock = MicrosecondClock.system
  /// The source of secrets, codes and uids; tests set their own.
  package var random = RandomBytes.system
  /// The settings of a project that was never configured.
  package var defaults = ProjectConfiguration()
  /// The rates at which callers may try passwords, codes and emails.
  package var limits = AttemptLimits.Settings()
  /// True if unsigned credentials are accepted as in Google's Auth emulator: custom tokens, bearer
  /// tokens.
  package var acceptsUnsigned = false
  /// True to issue ID tokens and session cookies unsigned, with a seal of this process, as clients in emulator mode require.
  package var issuesUnsigned = false
  /// The address at which clients reach the server, such as `https://brasa.example.org`, without a
  /// slash at the end.
  ///
  /// Links in mail and the `token_uri` of service accounts are made of it and of nothing else. If
  /// it ends in `:0`, `Accounts.listens(onPort:)` completes it.
  package var origin = "http://127.0.0.1:8080"
  /// The time for which a signing key signs before the next takes over, in seconds.
  package var signingKeyLifetime: Int64 = 30 * 86_400
  /// The time for which a new signing key is published before it signs, in seconds.
  package var signingKeyLead: Int64 = 86_400
  /// The length of RSA keys in bits.
  package var signingKeyBits = 2_048
  /// Sessions of one user that refresh tokens keep open; a further one ends the oldest.
  package var maximumSessions = 200

  /// Production's behaviour.
  package init() {}

  /// The settings of `brasa serve --dev`: those of the Auth emulator, without limits.
  package static var development: AccountsConfiguration {
    var configuration = AccountsConfiguration()
    configuration.defaults = .development
    configuration.limits = .unlimited
    configuration.acceptsUnsigned = true
    return configuration
  }
}
