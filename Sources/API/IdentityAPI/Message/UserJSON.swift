import Authentication
import BaseJSON
import BaseText
import FirestoreWire

/// Users as the account APIs show them.
enum UserJSON {
  /// The placeholder of a password's hash if only its existence is reported.
  static let redacted = "UkVEQUNURUQ="

  /// The user; `withHashes` adds what an export by an administrator carries.
  static func json(_ user: User, withHashes: Bool = false) -> JSONValue {
    var answer = AnswerBuilder()
    answer.put("localId", user.uid.string)
    answer.put("email", user.email?.string)
    answer.put("displayName", user.displayName)
    answer.put("photoUrl", user.photoURL)
    answer.put("phoneNumber", user.phoneNumber?.string)
    if user.email != nil { answer.set("emailVerified", .boolean(user.isEmailVerified)) }
    answer.put("disabled", user.isDisabled)
    putPassword(of: user, withHashes: withHashes, into: &answer)
    answer.put("providerUserInfo", providers(of: user))
    answer.put("validSince", user.validSince)
    answer.put("createdAt", user.createdAt)
    answer.put("lastLoginAt", user.lastSignInAt)
    answer.put("lastRefreshAt", user.lastRefreshAt.map(instant))
    answer.put("customAuth", user.isCustom)
    answer.put("customAttributes", user.customClaims)
    answer.put("emailLinkSignin", user.hasEmailLink)
    answer.put("initialEmail", user.initialEmail?.string)
    answer.put("mfaInfo", user.secondFactors.map { factor($0) })
    return answer.json
  }

  private static func putPassword(
    of user: User,
    withHashes: Bool,
    into answer: inout AnswerBuilder
  ) {
    guard let password = user.password else { return }
    if withHashes, password.algorithm == .own {
      answer.put("passwordHash", Base64.url(password.hash))
      answer.put("salt", Base64.url(password.salt))
      answer.set("version", .number("0"))
    } else {
      answer.put("passwordHash", redacted)
    }
    if let time = user.passwordUpdatedAt {
      answer.set("passwordUpdatedAt", .number(String(time)))
    }
  }

  /// Every way to sign in, as a provider.
  static func providers(of user: User) -> [JSONValue] {
    var list: [JSONValue] = []
    if user.hasPasswordProvider, let email = user.email?.string {
      list.append(
        provider(
          "password",
          raw: email,
          federated: email,
          email: email,
          user.displayName,
          user.photoURL
        )
      )
    }
    for linked in user.providers {
      var answer = AnswerBuilder()
      answer.put("providerId", linked.providerID.string)
      answer.put("rawId", linked.rawID.string)
      answer.put("federatedId", linked.federatedID)
      answer.put("email", linked.email)
      answer.put("displayName", linked.displayName)
      answer.put("photoUrl", linked.photoURL)
      answer.put("screenName", linked.screenName)
      list.append(answer.json)
    }
    if let phone = user.phoneNumber?.string {
      list.append(
        .object([
          "providerId": .string("phone"), "rawId": .string(phone), "phoneNumber": .string(phone),
        ])
      )
    }
    return list
  }

  private static func provider(
    _ id: String,
    raw: String,
    federated: String,
    email: String,
    _ displayName: String?,
    _ photoURL: String?
  ) -> JSONValue {
    var answer = AnswerBuilder()
    answer.put("providerId", id)
    answer.put("rawId", raw)
    answer.put("federatedId", federated)
    answer.put("email", email)
    answer.put("displayName", displayName)
    answer.put("photoUrl", photoURL)
    return answer.json
  }

  /// A second factor; a caller who has not signed in fully sees only the end of a number.
  static func factor(_ factor: SecondFactor, isObfuscated: Bool = false) -> JSONValue {
    var answer = AnswerBuilder()
    answer.put("mfaEnrollmentId", factor.id.string)
    answer.put("displayName", factor.displayName)
    answer.put("enrolledAt", instant(factor.enrolledAt))
    switch factor.proof {
    case .totp: answer.set("totpInfo", .object([JSONValue.Member]()))
    case .phone(let number):
      let end = number.string.suffix(4)
      let hidden = String(repeating: "*", count: max(0, number.string.count - 5))
      answer.put("phoneInfo", isObfuscated ? "+\(hidden)\(end)" : number.string)
    }
    return answer.json
  }

  /// An instant of RFC 3339 in milliseconds since 1970; nil for another text.
  static func milliseconds(_ text: String) -> Int64? {
    TimestampText.parse(text).map { $0.seconds * 1_000 + Int64($0.nanos) / 1_000_000 }
  }

  /// Milliseconds since 1970 as RFC 3339.
  static func instant(_ milliseconds: Int64) -> String {
    let seconds = milliseconds >= 0 ? milliseconds / 1_000 : (milliseconds - 999) / 1_000
    return TimestampText.format(
      seconds: seconds,
      nanos: Int32(milliseconds - seconds * 1_000) * 1_000_000
    )
  }
}
