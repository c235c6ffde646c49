import Authentication
import FirestoreModel
import Foundation

extension LocalAdministration {
  /// Makes a service account's key and hands its file over.
  func createKey(
    _ name: String,
    role: String,
    project: String,
    origin: String?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    guard let role = ServiceAccount.Role(rawValue: role) else {
      let known = ServiceAccount.Role.allCases.map(\.rawValue).joined(separator: ", ")
      throw FirestoreError.invalidArgument("There is no role \(role); there is: \(known).")
    }
    let made = try accounts.serviceAccounts.create(
      name,
      role: role,
      project: Text(project),
      origin: origin ?? accounts.origin
    )
    try output(.line(made.file))
    try output(.finished(summary: "made key \(made.account.keyID) of \(made.account.email)"))
  }

  /// Lists the keys, the oldest first.
  func listKeys(_ output: (AdministrationReply) throws -> Void) throws {
    let all = accounts.serviceAccounts.all
    for key in all {
      let made = Date(timeIntervalSince1970: Double(key.createdAt)).formatted(.iso8601)
      let note = key.isHeld ? "  held by the server, for signBlob" : ""
      try output(.line("\(key.keyID)  \(key.email)  \(key.role.rawValue)  \(made)\(note)"))
    }
    try output(.finished(summary: all.count.counting("key")))
  }

  /// Makes the next key of users' tokens.
  func rotateKeys(immediately: Bool, _ output: (AdministrationReply) throws -> Void) throws {
    try accounts.rotateSigningKeys(immediately: immediately)
    try output(
      .finished(
        summary: immediately
          ? "a new key signs, and every ID token, session cookie and access token has ended"
          : "a new key is published; it signs from tomorrow on, and the old one's tokens stay good"
      )
    )
  }

  /// Takes keys back; they stop working at once.
  func revokeKeys(_ which: String, _ output: (AdministrationReply) throws -> Void) throws {
    let gone = try accounts.serviceAccounts.revoke(which)
    guard !gone.isEmpty else {
      throw FirestoreError(.notFound, "There is no key with the id, e-mail or name \(which).")
    }
    for key in gone { try output(.line("revoked \(key.keyID) of \(key.email)")) }
    try output(.finished(summary: "\(gone.count.counting("key")) revoked"))
  }
}
