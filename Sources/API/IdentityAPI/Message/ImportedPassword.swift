import Authentication

/// The passwords of an import: hashes of its algorithm, or the texts that Google's Auth emulator has in their place.
struct ImportedPassword: Sendable {
  private let hash: ImportedHash?
  /// True to take the emulator's form: it has the password itself, which development's test accounts may show.
  private let takesEmulators: Bool

  /// The beginning of the emulator's form, before the salt and the password.
  private static let emulatorsStart = "fakeHash:salt="

  init(_ hash: ImportedHash?, takesEmulators: Bool) {
    self.hash = hash
    self.takesEmulators = takesEmulators
  }

  /// Puts the password of an account that is read into it; throws where it could not be kept.
  func read(_ message: IdentityMessage, into user: inout ImportedUser) throws {
    user.rawPassword = message.text("rawPassword")
    guard let text = message.text("passwordHash") else { return }
    if text.hasPrefix(Self.emulatorsStart) {
      user.rawPassword = try emulatorsPassword(text, salt: message.text("salt") ?? "")
      return
    }
    guard let hash else {
      throw AccountError(
        .init(rawValue: "INVALID_HASH_ALGORITHM"),
        "The account has a passwordHash, but the import has no hashAlgorithm (--hash-algo)."
      )
    }
    user.password = try hash.password(hash: text, salt: message.text("salt"))
  }

  private func emulatorsPassword(_ text: String, salt: String) throws(AccountError) -> String {
    guard takesEmulators else {
      throw AccountError(
        .invalidHash,
        "The passwordHash is of the Auth emulator. Only a development server accepts it."
      )
    }
    let start = Self.emulatorsStart + salt + ":password="
    guard text.hasPrefix(start), text.count > start.count else {
      throw AccountError(.invalidHash, "The Auth emulator's passwordHash does not fit its salt.")
    }
    return String(text.dropFirst(start.count))
  }
}
