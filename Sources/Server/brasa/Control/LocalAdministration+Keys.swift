import Authentication
import BaseStatus
import BaseText
import Console
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
    try DatabaseID(project: Text(project)).checkCreatable()
    guard let role = ServiceAccount.Role(rawValue: role) else {
      let known = ServiceAccount.Role.allCases.map(\.rawValue).joined(separator: ", ")
      throw ServiceError.invalidArgument("There is no role \(role). Roles: \(known).")
    }
    let made = try accounts.serviceAccounts.create(
      name,
      role: role,
      project: Text(project),
      origin: origin ?? accounts.origin,
      by: IssuedKey.commandLine
    )
    try output(.line(made.file))
    try output(.finished(summary: "made key \(made.account.keyID) of \(made.account.email)"))
  }

  /// The keys of all services; of service accounts alone where another node has the files and messages.
  var keyRegister: KeyRegister {
    let permit = permit
    return .stored(accounts: accounts, files: files, messages: messages) { permit }
  }

  /// Lists the keys, kind by kind.
  func listKeys(_ output: (AdministrationReply) throws -> Void) throws {
    let all = try isAway ? accounts.serviceAccounts.all.map { IssuedKey($0) } : keyRegister.all()
    let held = Set(accounts.serviceAccounts.all.filter(\.isHeld).map(\.keyID))
    for key in all {
      let made = Date(timeIntervalSince1970: Double(key.createdAt / 1_000)).formatted(.iso8601)
      let whose = key.email ?? "project \(key.project.string)"
      let kind =
        key.kind == .serviceAccount ? ServiceAccount.Role.admin.rawValue : key.kind.rawValue
      let state = key.isActive ? "" : "  inactive"
      let maker = try note(ofMaker: key)
      let note = held.contains(key.id) ? "  held by the server, for signBlob" : ""
      try output(.line("\(key.id)  \(whose)  \(kind)  \(made)\(state)\(maker)\(note)"))
    }
    try output(.finished(summary: all.count.counting("key")))
  }

  /// The maker of a key behind the rest of its line.
  func note(ofMaker key: IssuedKey) throws -> String {
    guard !key.maker.isEmpty else { return "" }
    let administrators = Administrators(accounts, requiresSecondFactor: true)
    let isGone = try administrators.isMakerGone(key)
    return "  by \(key.maker)" + (isGone ? ", no longer an administrator" : "")
  }

  /// Makes the next key of users' tokens.
  func rotateKeys(immediately: Bool, _ output: (AdministrationReply) throws -> Void) throws {
    try accounts.rotateSigningKeys(immediately: immediately)
    try output(
      .finished(
        summary: immediately
          ? "a new key signs, and every ID token, session cookie and access token has ended"
          : "a new key is published; it signs from tomorrow, and the old key's tokens stay valid"
      )
    )
  }

  /// Takes keys back; they stop working at once.
  func revokeKeys(_ which: String, _ output: (AdministrationReply) throws -> Void) throws {
    let gone = try accounts.serviceAccounts.revoke(which)
    if gone.isEmpty, !isAway, try keyRegister.revokeSecret(which) {
      try output(.line("revoked HMAC key \(which)"))
      return try output(.finished(summary: "1 key revoked"))
    }
    guard !gone.isEmpty else {
      throw ServiceError(.notFound, "There is no key with the ID, email or name \(which).")
    }
    for key in gone { try output(.line("revoked \(key.keyID) of \(key.email)")) }
    try output(.finished(summary: "\(gone.count.counting("key")) revoked"))
  }

  /// Takes back every key that an account made, and those made by accounts that have no key left after that.
  func revokeKeys(
    madeBy maker: String,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let register = keyRegister
    var (makers, revoked) = ([maker], 0)
    while let maker = makers.popLast() {
      for key in try register.all(madeBy: maker) {
        guard try revoke(key, in: register) else { continue }
        revoked += 1
        try output(.line("revoked \(key.text), made by \(maker)"))
        // Its holder may have made further keys. Another key of the account may have made them, too: they stay then.
        guard key.kind == .serviceAccount, let email = key.email,
          !accounts.serviceAccounts.hasKey(of: email)
        else { continue }
        makers.append(email)
      }
    }
    guard revoked > 0 else {
      throw ServiceError(.notFound, "\(maker.prefix(320)) has no keys.")
    }
    try output(.finished(summary: "\(revoked.counting("key")) revoked"))
  }

  private func revoke(_ key: IssuedKey, in register: KeyRegister) throws -> Bool {
    switch key.kind {
    case .serviceAccount: try !accounts.serviceAccounts.revoke(key.id).isEmpty
    case .sharedSecret: try register.revokeSecret(key.id)
    case .serverKey: try register.revokeServerKey(key.id, key.project)
    }
  }
}
