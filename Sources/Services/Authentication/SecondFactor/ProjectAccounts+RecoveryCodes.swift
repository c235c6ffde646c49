import BaseText

// Codes that stand in for a second factor that was lost.

extension ProjectAccounts {
  /// Creates recovery codes of a user that replace the remaining ones; they can't be read again.
  package func makeRecoveryCodes(_ uid: Text) throws -> [String] {
    let codes = (0..<RecoveryCode.count).map { _ in RecoveryCode.make(random) }
    try write { users in
      try users.change(uid) { $0.recoveryCodes = codes.compactMap(RecoveryCode.digest) }
    }
    return codes
  }

  /// Gives a recovery code in place of the second factor that a sign-in waits for; it is good once.
  package func finishSignIn(pendingCredential: String, recoveryCode: String) throws -> Session {
    let factor = SignInFacts.Factor(id: "recovery", kind: "recovery")
    return try finishSignIn(pendingCredential: pendingCredential, by: factor) { user in
      try accept(recoveryCode: recoveryCode, of: &user)
    }
  }

  /// Takes a recovery code of a user, which is good once.
  func accept(recoveryCode: String, of user: inout User) throws {
    let digest = RecoveryCode.digest(recoveryCode)
    let index = user.recoveryCodes.firstIndex { ConstantTime.areEqual($0, digest ?? []) }
    guard let index else { throw AccountError(.invalidCode) }
    user.recoveryCodes.remove(at: index)
  }
}
