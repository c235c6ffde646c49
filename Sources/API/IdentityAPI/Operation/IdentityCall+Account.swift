import Authentication
import BaseJSON
import BaseText

// The operations of users on their own accounts, and of administrators on every account.

extension IdentityCall {
  /// `accounts:lookup`.
  func lookup() async throws -> JSONValue {
    let users: [User]
    if let idToken = message.text("idToken") {
      users = [try await accounts { try $0.signedIn(idToken).user }]
    } else if isAdministrator {
      users = try await find()
    } else if ["localId", "email", "phoneNumber", "federatedUserId", "initialEmail"].contains(
      where: message.has
    ) {
      throw IdentityFailure.code("INSUFFICIENT_PERMISSION", "Insufficient permission.")
    } else {
      throw IdentityFailure.code("MISSING_ID_TOKEN")
    }
    var answer = AnswerBuilder(kind: "GetAccountInfoResponse")
    let withHashes = envelope.mayReadHashes
    answer.put("users", users.map { UserJSON.json($0, withHashes: withHashes) })
    return answer.json
  }

  /// The users that an administrator names, each once.
  private func find() async throws -> [User] {
    let federated = message.messages("federatedUserId") ?? []
    let count =
      ["localId", "email", "phoneNumber", "initialEmail"].reduce(federated.count) {
        $0 + message.texts($1).count
      }
    guard count <= 1_000 else {
      throw IdentityFailure.code("INVALID_ARGUMENT", "A request can look up at most 1000 accounts.")
    }
    return try await accounts { accounts in
      var found: [User?] = []
      for uid in message.texts("localId") { found.append(try accounts.user(Text(uid))) }
      for email in message.texts("email") { found.append(try accounts.user(email: email)) }
      for email in message.texts("initialEmail") {
        found += try accounts.users(initialEmail: email)
      }
      for phone in message.texts("phoneNumber") {
        found.append(try accounts.user(phoneNumber: phone))
      }
      for identity in federated {
        found.append(
          try accounts.user(
            provider: Text(identity.given("providerId") ?? ""),
            rawID: Text(identity.given("rawId") ?? "")
          )
        )
      }
      var seen: Set<Text> = []
      return found.compactMap(\.self).filter { seen.insert($0.uid).inserted }
    }
  }

  /// `accounts:update`, by a user, by a code of an email, or by an administrator.
  func update() async throws -> JSONValue {
    if let code = message.text("oobCode") {
      let done = try await accounts { try $0.apply(code: code, from: origin) }
      if let change = done.change { await tell(of: change) }
      let isChange = done.code.purpose == .verifyAndChangeEmail
      return updated(done.user, newEmail: isChange ? done.user.email?.string : nil)
    }
    if let idToken = message.text("idToken") { return try await updateOwn(idToken) }
    guard isAdministrator else {
      throw message.has("localId")
        ? IdentityFailure.code("INSUFFICIENT_PERMISSION", "Insufficient permission.")
        : IdentityFailure.code("MISSING_ID_TOKEN")
    }
    let uid = try required("localId", else: "MISSING_LOCAL_ID")
    note("update", [Text(uid)])
    let change = try administratorsUpdate()
    return updated(try await accounts { try $0.update(Text(uid), change) })
  }

  private func updateOwn(_ idToken: String) async throws -> JSONValue {
    let reserved = [
      "localId", "emailVerified", "phoneNumber", "disableUser", "customAttributes", "validSince",
      "linkProviderUserInfo", "mfa", "createdAt", "lastLoginAt", "deletePasskey",
    ]
    if reserved.contains(where: message.has) {
      throw IdentityFailure.code("INSUFFICIENT_PERMISSION", "Insufficient permission.")
    }
    var change = ProjectAccounts.OwnUpdate()
    change.email = try message.address("email")
    change.password = message.text("password")
    change.displayName = FieldChange(message.given("displayName"))
    change.photoURL = FieldChange(message.given("photoUrl"))
    change.unlinkedProviders = message.texts("deleteProvider").map { Text($0) }
    for attribute in message.texts("deleteAttribute") {
      switch attribute {
      case "EMAIL", "1": change.removesEmail = true
      case "DISPLAY_NAME", "2": change.displayName = .clear
      case "PROVIDER", "3": break
      case "PHOTO_URL", "4": change.photoURL = .clear
      case "PASSWORD", "5": change.removesPassword = true
      case "RAW_USER_INFO", "6": break
      default: throw Self.badAttribute
      }
    }
    let wanted = change
    let done = try await accounts {
      try $0.updateOwn(idToken: idToken, wanted, from: origin)
    }
    if let change = done.change { await tell(of: change) }
    return updated(done.user, done.session)
  }

  private static let badAttribute = IdentityFailure.code(
    "INVALID_REQ_TYPE",
    "Unsupported request parameters."
  )

  private func administratorsUpdate() throws -> UserUpdate {
    var change = UserUpdate()
    change.email = FieldChange(try message.address("email"))
    change.isEmailVerified = message.flag("emailVerified")
    change.password = FieldChange(message.text("password"))
    change.displayName = FieldChange(message.given("displayName"))
    change.photoURL = FieldChange(message.given("photoUrl"))
    change.phoneNumber = FieldChange(message.text("phoneNumber"))
    change.isDisabled = message.flag("disableUser")
    change.customClaims = FieldChange(message.given("customAttributes"))
    change.validSince = message.integer("validSince")
    change.createdAt = message.integer("createdAt")
    change.lastSignInAt = message.integer("lastLoginAt")
    change.unlinkedProviders = message.texts("deleteProvider").map { Text($0) }
    for attribute in message.texts("deleteAttribute") {
      switch attribute {
      case "EMAIL", "1": change.email = .clear
      case "DISPLAY_NAME", "2": change.displayName = .clear
      case "PHOTO_URL", "4": change.photoURL = .clear
      case "PASSWORD", "5": change.password = .clear
      case "PROVIDER", "3", "RAW_USER_INFO", "6": break
      default: throw Self.badAttribute
      }
    }
    if let identity = message.message("linkProviderUserInfo") {
      change.linkedProvider = try ImportedIdentity.read(identity)
    }
    if let factors = message.message("mfa") { change.secondFactors = try Self.factors(factors) }
    return change
  }

  /// Administrators take all second factors away; adding one takes the person and his program.
  private static func factors(_ message: IdentityMessage) throws -> [SecondFactor] {
    guard message.messages("enrollments")?.isEmpty != false else {
      throw ClientOperations.noMessages
    }
    return []
  }

  private func updated(
    _ user: User,
    _ session: Session? = nil,
    newEmail: String? = nil
  ) -> JSONValue {
    var answer = AnswerBuilder(kind: "SetAccountInfoResponse")
    answer.put("localId", user.uid.string)
    answer.put("email", user.email?.string)
    answer.put("newEmail", newEmail)
    answer.put("displayName", user.displayName)
    answer.put("photoUrl", user.photoURL)
    answer.set("emailVerified", .boolean(user.isEmailVerified))
    answer.put("providerUserInfo", UserJSON.providers(of: user))
    if user.password != nil { answer.put("passwordHash", UserJSON.redacted) }
    session?.put(into: &answer)
    return answer.json
  }

  /// `accounts:delete`.
  func delete() async throws -> JSONValue {
    if let idToken = message.text("idToken") {
      try await accounts { try $0.deleteOwn(idToken: idToken) }
    } else if isAdministrator {
      let uid = try required("localId", else: "MISSING_LOCAL_ID")
      note("delete", [Text(uid)])
      try await accounts { try $0.delete(Text(uid)) }
    } else {
      throw message.has("localId")
        ? IdentityFailure.code("INSUFFICIENT_PERMISSION", "Insufficient permission.")
        : IdentityFailure.code("MISSING_ID_TOKEN")
    }
    return AnswerBuilder(kind: "DeleteAccountResponse").json
  }
}
