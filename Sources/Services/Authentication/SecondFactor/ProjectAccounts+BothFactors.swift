// Signing in with both factors at once, which strangers who try passwords cannot stop.

extension ProjectAccounts {
  /// Signs in with a password and a code of the authenticator program, or a recovery code, at once.
  ///
  /// After many wrong passwords from elsewhere an unknown address may try no password alone. Here
  /// it may: the wrong part is not reported, so that neither factor can be guessed without the
  /// other. A wrong code counts among the account's second factors only behind the right password,
  /// so strangers do not use those up.
  ///
  /// A wrong password, a wrong code, too many codes and an account without a second factor end alike, after the same work.
  package func signIn(
    email: String,
    password: String,
    code: String,
    from origin: RequestOrigin
  ) throws -> Session {
    let checked: CheckedPassword
    do {
      checked = try check(email: email, password: password, from: origin, hasSecondFactor: true)
    } catch let error as AccountError where error.code != .tooManyAttempts {
      // A right password would go to the store's queue, too.
      _ = try? write { _ in throw Self.wrongPair }
      throw Self.wrongPair
    }
    do {
      let session = try finish(checked, code)
      accounts.limits.giveBack(checked.attempt)
      return session
    } catch let error as AccountError {
      // Nor does the way to the store tell that the account had too many codes.
      if error.code == .tooManyAttempts { _ = try? write { _ in throw Self.wrongPair } }
      throw Self.wrongPair
    }
  }

  private func finish(_ checked: CheckedPassword, _ code: String) throws -> Session {
    let adjacent = try configuration().adjacentIntervals
    let isRecovery = RecoveryCode.isForm(of: code)
    let user = try read { try $0.user(checked.uid) }
    let id = user?.secondFactors.first?.id
    var facts = signIn(by: "password")
    facts.secondFactor =
      isRecovery
      ? SignInFacts.Factor(id: "recovery", kind: "recovery")
      : SignInFacts.Factor(id: id ?? "", kind: "totp")
    let whole = facts
    return try countingSecondFactor(checked.uid) {
      try establishWhole(whole) { users in
        let found = try checked.user(in: users)
        guard !found.isDisabled, let id, !found.secondFactors.isEmpty else { throw Self.wrongPair }
        let changed = try users.change(found.uid) { user in
          if isRecovery {
            try accept(recoveryCode: code, of: &user)
          } else {
            try accept(code, factor: id, adjacent, of: &user)
          }
          if let renewed = checked.renewed { user.password = renewed }
          return user
        }
        return (changed, false)
      }
    }
  }

  private static let wrongPair = AccountError(.invalidLoginCredentials)
}
