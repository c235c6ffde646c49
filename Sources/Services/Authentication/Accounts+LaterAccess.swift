import BaseText
import KeyValueStore

// A store that was brought back to an earlier instant has the access of that instant. These calls take back what was taken away
// later.

extension Accounts {
  /// The keys of users.
  package static let userKeys = KeyRange(prefix: AccountKey.prefix(.user))
  /// The keys of service accounts' keys.
  package static let serviceAccountKeys = KeyRange(prefix: AccountKey.prefix(.serviceAccount))

  /// The part of a user's record that says how the user gets in and with which rights.
  package static func access(ofUserRecord record: [UInt8]) throws -> [UInt8] {
    var user = try User(uid: "", record: record)
    user.displayName = nil
    user.photoURL = nil
    user.initialEmail = nil
    return user.encoded()
  }

  /// Gives users and service accounts' keys the access that they had later, where it was less.
  ///
  /// - Users and keys that were removed later are removed again.
  /// - Users that were disabled later are disabled again.
  /// - Administrators get the roles, passwords, second factors and passkeys that they had later.
  /// - Users of projects whose custom claims or ways to sign in were changed later are named, and stay as they are.
  ///
  /// Keys that are not in the store are passed over. Blocks.
  ///
  /// - Parameter later: Keys of the store in `userKeys` and `serviceAccountKeys`, with the access of later; nil where they were
  ///   removed.
  /// - Returns: A line for each change and each user that is named.
  package func restrict(toLater later: [(key: [UInt8], access: [UInt8]?)]) throws -> [String] {
    var lines: [String] = []
    for (key, access) in later {
      guard case .found(let record) = try engine.get(key, cachedOnly: false) else { continue }
      if key.starts(with: AccountKey.prefix(.serviceAccount)) {
        guard access == nil else { continue }
        try engine.write { try $0.delete(key) }
        lines.append("removed again: a service account's key")
        continue
      }
      let name = key.withUnsafeBytes {
        (AccountKey.scope(ofKey: $0), AccountKey.uid(ofUserKey: $0))
      }
      guard let scope = name.0, let uid = name.1 else { continue }
      guard let access else {
        try self[scope].delete(uid)
        lines.append("removed again: user \(uid) of \(scope)")
        continue
      }
      let users = try (User(uid: uid, record: record), User(uid: uid, record: access))
      lines += try restrict(users.0, toLater: users.1, of: scope)
    }
    return lines
  }

  private func restrict(
    _ user: User,
    toLater later: User,
    of scope: AccountScope
  ) throws -> [String] {
    var lines: [String] = []
    var changed = user
    let name = "user \(user.uid) of \(scope)"
    let address = user.email?.string ?? user.uid.string
    if later.isDisabled, !user.isDisabled {
      changed.isDisabled = true
      lines.append("disabled again: \(name)")
    }
    let hasOtherWays = !user.hasSameWaysIn(as: later)
    if scope == .server {
      changed.customClaims = later.customClaims
      changed.takeWaysIn(of: later)
      if changed.customClaims != user.customClaims {
        lines.append("the roles of later: administrator \(address)")
      }
      if hasOtherWays {
        lines.append("the password, second factors and passkeys of later: administrator \(address)")
      }
    } else {
      if user.customClaims != later.customClaims {
        lines.append("look at the custom claims, which were changed later: \(name)")
      }
      if hasOtherWays {
        lines.append("look at the ways to sign in, which were changed later: \(name)")
      }
    }
    if changed != user {
      try engine.write { try $0.put(AccountKey.user(scope, user.uid), changed.encoded()) }
    }
    return lines
  }
}

extension User {
  /// True where the same passwords, providers, second factors and passkeys sign the user in.
  fileprivate func hasSameWaysIn(as other: User) -> Bool {
    func secrets(_ user: User) -> [[UInt8]] {
      user.secondFactors.map { factor in
        switch factor.proof {
        case .totp(let secret, _): secret
        case .phone(let number): number.text.withBytes { Array($0) }
        }
      }
    }
    return password == other.password && email == other.email && phoneNumber == other.phoneNumber
      && Set(providers.map(\.providerID)) == Set(other.providers.map(\.providerID))
      && secrets(self) == secrets(other) && recoveryCodes == other.recoveryCodes
      && passkeys.map(\.id) == other.passkeys.map(\.id)
  }

  /// Takes over the sign-in methods of a user with the same address.
  fileprivate mutating func takeWaysIn(of other: User) {
    password = other.password
    passwordUpdatedAt = other.passwordUpdatedAt
    secondFactors = other.secondFactors
    recoveryCodes = other.recoveryCodes
    passkeys = other.passkeys
    validSince = other.validSince
    session = other.session
  }
}
