import Authentication
import BaseJSON
import BaseText

/// Accounts as the Firebase CLI's `auth:export` and `auth:import` have them: JSON, an account a line
/// here.
package enum AccountTransfer {
  /// Reads accounts of one import.
  package struct Reader: Sendable {
    private let password: ImportedPassword

    /// - Parameter parameters: A JSON object with `hashAlgorithm` and its parameters, by the names
    ///   of the API; empty if no account has a password.
    /// - Parameter takesEmulators: True to take passwords as Google's Auth emulator writes them.
    package init(parameters: String, takesEmulators: Bool = false) throws {
      let json = try JSONParser.parse(Array(parameters.utf8))
      let hash = try AccountTransfer.refusing {
        try ImportedHash(try RequestShapes.batchCreate.read(json))
      }
      password = ImportedPassword(hash, takesEmulators: takesEmulators)
    }

    /// One account; a fault in it refuses only this account.
    package func user(_ line: String) throws -> ImportedUser {
      let json = try JSONParser.parse(Array(line.utf8))
      do {
        let message = try RequestShapes.exportedUser.read(json)
        var user = IdentityCall.imported(message, password)
        user.lastSignInAt = message.integer("lastSignedInAt") ?? user.lastSignInAt
        user.keepsSecondFactors = true
        return user
      } catch let failure as IdentityFailure {
        let uid = (try? JSONValue(parsing: line))?["localId"]?.string
        var user = ImportedUser(uid: uid ?? "")
        user.refusal = AccountError(.init(rawValue: failure.message))
        return user
      }
    }
  }

  /// An account as a line.
  ///
  /// - Parameter hasForeignHash: False to leave a password out whose hash is not the project's own.
  package static func line(_ user: User, hasForeignHash: Bool = false) -> String {
    var answer = AnswerBuilder()
    answer.put("localId", user.uid.string)
    answer.put("email", user.email?.string)
    if user.email != nil { answer.set("emailVerified", .boolean(user.isEmailVerified)) }
    if let password = user.password, hasForeignHash || password.algorithm == .own {
      answer.put("passwordHash", Base64.standard(password.hash))
      answer.put("salt", Base64.standard(password.salt))
    }
    answer.put("displayName", user.displayName)
    answer.put("photoUrl", user.photoURL)
    answer.put("phoneNumber", user.phoneNumber?.string)
    answer.put("createdAt", user.createdAt)
    answer.put("lastSignedInAt", user.lastSignInAt)
    answer.put("disabled", user.isDisabled)
    answer.put("customAttributes", user.customClaims)
    answer.put("emailLinkSignin", user.hasEmailLink)
    answer.put("customAuth", user.isCustom)
    answer.put("initialEmail", user.initialEmail?.string)
    answer.put("validSince", user.validSince)
    answer.put("passwordUpdatedAt", user.password == nil ? nil : user.passwordUpdatedAt)
    answer.put("lastRefreshAt", user.lastRefreshAt.map(UserJSON.instant))
    answer.set(
      "providerUserInfo",
      .array(
        user.providers.map { linked in
          var provider = AnswerBuilder()
          provider.put("providerId", linked.providerID.string)
          provider.put("rawId", linked.rawID.string)
          provider.put("email", linked.email)
          provider.put("displayName", linked.displayName)
          provider.put("photoUrl", linked.photoURL)
          provider.put("screenName", linked.screenName)
          return provider.json
        }
      )
    )
    return String(decoding: answer.json.compactBytes, as: UTF8.self)
  }

  /// An account as people read it: nothing of its password.
  package static func description(_ user: User) -> String {
    String(decoding: UserJSON.json(user).compactBytes, as: UTF8.self)
  }

  /// Translates a refusal of the HTTP side into the words of the domain.
  static func refusing<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let failure as IdentityFailure {
      throw AccountError(.init(rawValue: failure.message))
    }
  }
}
