import Authentication
import FirestoreModel
import FirestoreWire

// Codes that letters carry.

extension IdentityCall {
  /// `accounts:sendOobCode`: makes a code and sends it, or gives its link to an administrator.
  func sendOobCode() async throws -> JSONValue {
    let returnsLink = message.flag("returnOobLink") == true
    if returnsLink, !isAdministrator {
      throw IdentityFailure.code("INSUFFICIENT_PERMISSION", "Insufficient permission.")
    }
    let purpose = try purpose()
    let mailer = try returnsLink ? nil : service.environment.requiredMailer()
    try await checkContinueURL(isRequired: purpose == .emailSignIn)
    let made = try await accounts { try makeCode(purpose, $0) }
    var answer = AnswerBuilder(kind: "GetOobConfirmationCodeResponse")
    answer.put("email", made.email)
    guard let code = made.code else { return answer.json }
    let link = try await link(purpose, code)
    let letter = OutgoingCode(
      purpose: purpose,
      email: made.email,
      newEmail: made.newEmail,
      code: code,
      link: link
    )
    service.environment.mailbox?.note(letter, project: project)
    if returnsLink {
      answer.put("oobCode", code)
      answer.put("oobLink", link)
    } else if let mailer {
      let templates = try await accounts { try $0.configuration().mail }
      try mailer.post(
        Letter(letter, templates: templates, project: project, locale: envelope.locale).mail
      )
    }
    return answer.json
  }

  /// What a request type names.
  private func purpose() throws -> CodePurpose {
    switch message.text("requestType") {
    case "PASSWORD_RESET", "1": return .passwordReset
    case "VERIFY_EMAIL", "4": return .verifyEmail
    case "EMAIL_SIGNIN", "6": return .emailSignIn
    case "VERIFY_AND_CHANGE_EMAIL", "7": return .verifyAndChangeEmail
    case nil, "OOB_REQ_TYPE_UNSPECIFIED", "0": throw IdentityFailure.code("MISSING_REQ_TYPE")
    default: throw IdentityFailure.code("INVALID_REQ_TYPE")
    }
  }

  private struct MadeCode: Sendable {
    let email: String
    var newEmail: String?
    /// Nil where nobody has the address and nobody shall know.
    let code: String?
  }

  private func makeCode(_ purpose: CodePurpose, _ accounts: ProjectAccounts) throws -> MadeCode {
    switch purpose {
    case .passwordReset:
      let email = try required("email", else: "MISSING_EMAIL")
      let code = try accounts.makePasswordResetCode(email: email, from: origin)
      return MadeCode(email: email, code: code)
    case .emailSignIn:
      let email = try required("email", else: "MISSING_EMAIL")
      return MadeCode(email: email, code: try accounts.makeSignInCode(email: email, from: origin))
    case .verifyEmail:
      let user = try holder(accounts)
      let code = try accounts.makeVerificationCode(user, from: origin)
      return MadeCode(email: user.email?.string ?? "", code: code)
    case .verifyAndChangeEmail:
      let newEmail = try required("newEmail", else: "MISSING_NEW_EMAIL")
      let user = try holder(accounts)
      let code = try accounts.makeEmailChangeCode(user, newEmail: newEmail, from: origin)
      return MadeCode(email: user.email?.string ?? "", newEmail: newEmail, code: code)
    case .recoverEmail: throw IdentityFailure.code("INVALID_REQ_TYPE")
    }
  }

  /// Whose address it is: of the holder of the ID token, or of whom an administrator names.
  private func holder(_ accounts: ProjectAccounts) throws -> User {
    if let idToken = message.text("idToken") { return try accounts.signedIn(idToken).user }
    guard isAdministrator else { throw IdentityFailure.code("MISSING_ID_TOKEN") }
    let email = try required("email", else: "MISSING_EMAIL")
    guard let user = try accounts.user(email: email) else { throw AccountError(.userNotFound) }
    return user
  }

  /// Refuses addresses to go on to that are no web address of the project's domains.
  private func checkContinueURL(isRequired: Bool) async throws {
    guard let url = message.text("continueUrl") else {
      if isRequired { throw IdentityFailure.code("MISSING_CONTINUE_URI") }
      return
    }
    guard let host = WebAddress(url)?.host else {
      throw AccountError(.invalidContinueURI, "((continueUrl must be a web address))")
    }
    if service.environment.isDevelopment { return }
    let domains = try await accounts { try $0.configuration().authorizedDomains }
    let own = WebAddress(service.accounts.configuration.origin)?.host
    guard host == own || domains.contains(where: { $0.lowercased() == host }) else {
      throw AccountError(.unauthorizedDomain, "Domain not allowlisted by project")
    }
  }

  /// The address of our page for a code, made of the configured origin and of nothing that a client
  /// said about where it is.
  private func link(_ purpose: CodePurpose, _ code: String) async throws -> String {
    var fields = [
      ("mode", purpose.mode), ("oobCode", code),
      ("apiKey", envelope.query.apiKey ?? envelope.apiKey ?? project.string),
      ("lang", Letter.language(of: envelope.locale).rawValue),
    ]
    if let url = message.text("continueUrl") { fields.append(("continueUrl", url)) }
    return "\(service.accounts.configuration.origin)/__/auth/action?\(PercentEncoding.form(fields))"
  }

  /// `accounts:resetPassword`: what a code is for, or with a new password its use.
  func resetPassword() async throws -> JSONValue {
    let text = try required("oobCode", else: "MISSING_OOB_CODE")
    let code: OneTimeCode
    var user: User?
    if let password = message.text("newPassword") {
      let done = try await accounts {
        try $0.resetPassword(code: text, newPassword: password, from: origin)
      }
      code = done.code
      user = done.user
    } else {
      code = try await accounts { try $0.inspect(code: text, from: origin) }
    }
    var answer = AnswerBuilder(kind: "ResetPasswordResponse")
    if code.purpose != .emailSignIn { answer.put("email", code.email) }
    answer.put("newEmail", code.newEmail)
    answer.put("requestType", code.purpose.rawValue)
    answer.put(
      "mfaInfo",
      user?.secondFactors.first.map { [UserJSON.factor($0, isObfuscated: true)] } ?? []
    )
    return answer.json
  }
}

/// The parts of a web address that decide where it leads.
struct WebAddress {
  /// In lower case.
  let host: String

  /// Nil for what is no plain http or https address.
  init?(_ text: String) {
    let lowercased = text.prefix(8).lowercased()
    let length = lowercased.hasPrefix("https://") ? 8 : lowercased.hasPrefix("http://") ? 7 : 0
    guard length > 0, text.utf8.count <= 2_048,
      text.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F && $0 != "\\" })
    else { return nil }
    let authority = text.dropFirst(length).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    let host =
      authority.first == "[" ? authority.prefix { $0 != "]" } : authority.prefix { $0 != ":" }
    guard !authority.contains("@"), !host.isEmpty else { return nil }
    self.host = host.lowercased()
  }
}
