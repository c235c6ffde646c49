/// The requirements of a project for new passwords.
package struct PasswordPolicy: Sendable, Hashable, Codable {
  /// In characters, as people count them.
  package var minimumLength = 6
  /// The most characters of a password; in UTF-8 it has at most four times as many bytes.
  package var maximumLength = 4_096
  /// True to require a letter from a to z.
  package var requiresLowercase = false
  /// True to require a letter from A to Z.
  package var requiresUppercase = false
  /// True to require a digit from 0 to 9.
  package var requiresDigit = false
  /// True to require one of `symbols`.
  package var requiresSymbol = false
  /// True if the most common passwords are refused.
  package var refusesCommon = false

  /// Firebase's: six characters and no rules of composition.
  package init() {}

  /// The policy for passwords that administrators choose, independent of the project's policy for
  /// users.
  package static let administrators = PasswordPolicy()

  /// Throws the faults of a new password.
  package func check(_ password: String) throws(AccountError) {
    guard password.count >= minimumLength else {
      throw AccountError(
        .weakPassword,
        "Password should be at least \(minimumLength) characters"
      )
    }
    guard password.count <= maximumLength, password.utf8.count <= 4 * maximumLength else {
      throw AccountError(
        .passwordDoesNotMeetRequirements,
        "Missing password requirements: [Password may contain at most \(maximumLength) characters]"
      )
    }
    if refusesCommon, CommonPasswords.contains(password) {
      throw AccountError(.weakPassword, "Password is one of the most common ones")
    }
    let missing = missingKinds(in: password)
    guard missing.isEmpty else {
      throw AccountError(
        .passwordDoesNotMeetRequirements,
        "Missing password requirements: [\(missing.joined(separator: ", "))]"
      )
    }
  }

  private func missingKinds(in password: String) -> [String] {
    let characters = password.unicodeScalars
    var missing: [String] = []
    if requiresLowercase, !characters.contains(where: { ("a"..."z").contains($0) }) {
      missing.append("Password must contain a lower case character")
    }
    if requiresUppercase, !characters.contains(where: { ("A"..."Z").contains($0) }) {
      missing.append("Password must contain an upper case character")
    }
    if requiresDigit, !characters.contains(where: { ("0"..."9").contains($0) }) {
      missing.append("Password must contain a numeric character")
    }
    if requiresSymbol, !characters.contains(where: Self.symbols.contains) {
      missing.append("Password must contain a non-alphanumeric character")
    }
    return missing
  }

  /// The characters that count as symbols.
  package static let symbols = "^$*.[]{}()?\"!@#%&/\\,><':;|_~`-+= ".unicodeScalars
}
