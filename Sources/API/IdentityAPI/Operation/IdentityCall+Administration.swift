import Authentication
import BaseJSON
import BaseText
import FirestoreModel
import FirestoreWire

// The operations of administrators on many accounts, and on fields that users can't set.

extension IdentityCall {
  /// An account with everything that an administrator may give it.
  func create() async throws -> JSONValue {
    guard message.messages("mfaInfo")?.isEmpty != false else { throw ClientOperations.noMessages }
    var draft = NewUser(
      uid: message.text("localId"),
      email: try message.address("email"),
      password: message.text("password"),
      displayName: message.text("displayName")
    )
    draft.isEmailVerified = message.flag("emailVerified") ?? false
    draft.photoURL = message.text("photoUrl")
    draft.phoneNumber = message.text("phoneNumber")
    draft.isDisabled = message.flag("disabled") ?? false
    let wanted = draft
    let user = try await accounts { accounts in
      // The first account makes the project known.
      _ = try accounts.configuration()
      return try accounts.create(wanted)
    }
    var answer = AnswerBuilder(kind: "SignupNewUserResponse")
    answer.put("localId", user.uid.string)
    answer.put("email", user.email?.string)
    answer.put("displayName", user.displayName)
    return answer.json
  }

  /// `accounts:batchGet`: all accounts, page by page.
  func batchGet() async throws -> JSONValue {
    let limit = try envelope.number("maxResults", default: 20, in: 1...1_000)
    let named = Int(clamping: message.integer("maxResults") ?? Int64(limit))
    let page = try await accounts {
      try $0.list(
        limit: named,
        pageToken: message.text("nextPageToken") ?? envelope.parameter("nextPageToken")
      )
    }
    var answer = AnswerBuilder(kind: "DownloadAccountResponse")
    answer.put("users", page.users.map { UserJSON.json($0, withHashes: envelope.mayReadHashes) })
    answer.put("nextPageToken", page.nextPageToken)
    return answer.json
  }

  /// `accounts:query`.
  func query() async throws -> JSONValue {
    var query = UserQuery()
    query.limit = try Self.number(message, "limit", default: 500)
    query.offset = try Self.number(message, "offset", default: 0)
    query.isDescending = ["DESC", "2"].contains(message.text("order"))
    query.order = Self.order(message.text("sortBy"))
    query.expressions = (message.messages("expression") ?? []).compactMap { expression in
      expression.text("email").map(UserQuery.Expression.email)
        ?? expression.text("userId").map(UserQuery.Expression.uid)
        ?? expression.text("phoneNumber").map(UserQuery.Expression.phoneNumber)
    }
    let wanted = query
    if message.flag("returnUserInfo") == false {
      let count = try await accounts {
        wanted.expressions.isEmpty ? try $0.count() : try $0.query(wanted).count
      }
      return .object(["recordsCount": .string(String(count))])
    }
    let users = try await accounts { try $0.query(wanted) }
    var answer = AnswerBuilder()
    answer.put("recordsCount", Int64(users.count))
    answer.put("userInfo", users.map { UserJSON.json($0, withHashes: envelope.mayReadHashes) })
    return answer.json
  }

  private static func order(_ name: String?) -> UserQuery.Order {
    switch name {
    case "2": .name
    case "3": .createdAt
    case "4": .lastSignInAt
    case "5": .email
    default: name.flatMap(UserQuery.Order.init) ?? .uid
    }
  }

  private static func number(
    _ message: IdentityMessage,
    _ name: String,
    default standard: Int
  ) throws -> Int {
    Int(clamping: message.integer(name) ?? Int64(standard))
  }

  /// `accounts:batchDelete`.
  func batchDelete() async throws -> JSONValue {
    let uids = message.texts("localIds").map { Text($0) }
    let force = message.flag("force") ?? false
    note("delete", uids)
    let errors = try await accounts { try $0.delete(uids, force: force) }
    var answer = AnswerBuilder()
    answer.put("errors", errors.map { Self.item($0, withID: true) })
    return answer.json
  }

  /// `accounts:batchCreate`: accounts from elsewhere, with their passwords' hashes.
  func batchCreate() async throws -> JSONValue {
    let list = message.messages("users") ?? []
    let hash = try ImportedHash(message)
    let takesEmulators = service.accounts.configuration.acceptsUnsigned
    let password = ImportedPassword(hash, takesEmulators: takesEmulators)
    let imported = list.map { Self.imported($0, password) }
    note("import", list.map { Text($0.text("localId") ?? "") })
    // Google overwrites an account with the same ID unless an option forbids it.
    let keepsExisting = message.flag("allowOverwrite") == false
    let errors = try await accounts { accounts in
      _ = try accounts.configuration()
      return try accounts.importUsers(imported, keepsExisting: keepsExisting)
    }
    var answer = AnswerBuilder(kind: "UploadAccountResponse")
    answer.put("error", errors.map { Self.item($0, withID: false) })
    return answer.json
  }

  private static func item(_ error: ProjectAccounts.ItemError, withID: Bool) -> JSONValue {
    var answer = AnswerBuilder()
    answer.set("index", .number(String(error.index)))
    if withID { answer.put("localId", error.uid.string) }
    answer.put("message", error.message)
    return answer.json
  }

  /// One account of an import; a fault in it refuses only this account.
  static func imported(_ message: IdentityMessage, _ password: ImportedPassword) -> ImportedUser {
    var user = ImportedUser(uid: message.text("localId") ?? "")
    user.email = message.text("email")
    user.isEmailVerified = message.flag("emailVerified") ?? false
    user.displayName = message.text("displayName")
    user.photoURL = message.text("photoUrl")
    user.phoneNumber = message.text("phoneNumber")
    user.isDisabled = message.flag("disabled") ?? false
    user.customClaims = message.text("customAttributes")
    user.createdAt = message.integer("createdAt")
    user.lastSignInAt = message.integer("lastLoginAt")
    user.validSince = message.integer("validSince")
    user.hasEmailLink = message.flag("emailLinkSignin") ?? false
    user.isCustom = message.flag("customAuth") ?? false
    user.initialEmail = message.text("initialEmail")
    user.passwordUpdatedAt = message.integer("passwordUpdatedAt")
    user.lastRefreshAt = message.text("lastRefreshAt").flatMap(UserJSON.milliseconds)
    do {
      guard message.text("tenantId") == nil else {
        throw AccountError(.tenantsUnsupported, "Brasa does not support tenants.")
      }
      try password.read(message, into: &user)
      guard message.messages("mfaInfo")?.isEmpty != false else {
        throw AccountError(
          .operationNotAllowed,
          "The account has a second factor (mfaInfo) without a secret, so codes can't be verified. Import it "
            + "without mfaInfo; the user then enrolls an authenticator app again."
        )
      }
      user.providers = try (message.messages("providerUserInfo") ?? [])
        .filter { !["password", "phone"].contains($0.text("providerId")) }
        .map(ImportedIdentity.read)
    } catch let error as AccountError {
      user.refusal = error
    } catch {
      user.refusal = AccountError(
        .init(rawValue: (error as? IdentityFailure)?.message ?? "INVALID_ARGUMENT"),
        cause: error
      )
    }
    return user
  }

  /// `projects/P:createSessionCookie`.
  func createSessionCookie() async throws -> JSONValue {
    let idToken = try required("idToken", else: "MISSING_ID_TOKEN")
    let lifetime = message.integer("validDuration") ?? 1_209_600
    let cookie = try await accounts {
      try $0.makeSessionCookie(idToken: idToken, lifetime: lifetime)
    }
    return .object(["sessionCookie": .string(cookie)])
  }
}

extension IdentityEnvelope {
  /// A number in the query.
  func number(_ name: String, default standard: Int, in range: ClosedRange<Int>) throws -> Int {
    guard let text = parameter(name) else { return standard }
    guard let number = Int(text), range.contains(number) else {
      throw IdentityFailure.invalid(
        "Invalid value at '\(name)' (TYPE_INT32), \"\(text.prefix(20))\""
      )
    }
    return number
  }
}
