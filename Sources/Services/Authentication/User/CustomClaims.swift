import BaseJSON
import BaseText

/// Claims of their own that administrators give users.
package enum CustomClaims {
  /// The names that tokens use themselves.
  package static let reserved: Set<Text> = [
    "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat",
    "iss", "jti", "nbf", "nonce", "sub", "user_id",
  ]

  /// The most bytes that the JSON of a user's claims may have.
  package static let maximumLength = 1_000

  /// Checks claims given as the text of a JSON object; nil for no text.
  ///
  /// An empty object stays one: it shows that claims were taken away, as with Firebase.
  package static func check(_ text: String) throws(AccountError) -> String? {
    guard text.utf8.count <= maximumLength else { throw AccountError(.claimsTooLarge) }
    guard !text.isEmpty, let document = try? JSONValue(parsing: text),
      let members = document.members, document.hasUniqueMembers
    else {
      if text.isEmpty { return nil }
      throw AccountError(.invalidClaims)
    }
    for member in members where reserved.contains(Text(member.key)) {
      throw AccountError(.forbiddenClaim, member.key)
    }
    return members.isEmpty ? "{}" : text
  }
}
