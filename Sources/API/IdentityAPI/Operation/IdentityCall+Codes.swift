import Authentication
import BaseJSON
import BaseText

// Codes that emails carry.

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
    // An email is written even without a recipient: the time of a response must not reveal if an
    // account exists.
    let outgoing = outgoing(purpose, made)
    if made.text != nil { service.environment.mailbox?.note(outgoing, project: project) }
    if returnsLink {
      answer.put("oobCode", made.text)
      answer.put("oobLink", outgoing.link)
    } else if let mailer {
      let configuration = try await accounts { try $0.configuration() }
      let mail = mail(outgoing, configuration)
      guard made.text != nil else { return answer.json }
      do {
        try mailer.post(mail)
      } catch let error where hides(purpose, configuration) {
        // A response of another kind would tell that the account exists.
        envelope.logger.error("an email could not be queued", metadata: ["error": "\(error)"])
      }
    }
    return answer.json
  }

  /// Notifies the old address of a change, with a link that reverts it; a failure is logged.
  func tell(of change: AddressChange) async {
    guard let mailer = service.environment.mailer else { return }
    do {
      let (made, configuration) = try await accounts {
        (try $0.makeRecoveryCode(change), try $0.configuration())
      }
      let outgoing = outgoing(.recoverEmail, made)
      service.environment.mailbox?.note(outgoing, project: project)
      try mailer.post(mail(outgoing, configuration))
    } catch {
      envelope.logger.error(
        "an email about a changed address could not be sent to the old address",
        metadata: ["error": "\(error)"]
      )
    }
  }

  /// True where the response must not tell if there is an account of the address: for some requests no email is sent.
  private func hides(_ purpose: CodePurpose, _ configuration: ProjectConfiguration) -> Bool {
    [.passwordReset, .verifyAndChangeEmail].contains(purpose) && configuration.hidesAccounts
  }

  private func outgoing(_ purpose: CodePurpose, _ made: AddressedCode) -> OutgoingCode {
    OutgoingCode(
      purpose: purpose,
      email: made.email,
      newEmail: made.newEmail,
      code: made.written,
      link: link(purpose, made.written)
    )
  }

  private func mail(_ outgoing: OutgoingCode, _ configuration: ProjectConfiguration) -> Mail {
    CodeEmail(outgoing, templates: configuration.mail, project: project, locale: envelope.locale)
      .mail
  }

  /// The purpose that a request type names.
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

  private func makeCode(
    _ purpose: CodePurpose,
    _ accounts: ProjectAccounts
  ) throws -> AddressedCode {
    switch purpose {
    case .passwordReset:
      let email = try requiredAddress()
      return try accounts.makePasswordResetCode(email: email, from: origin)
    case .emailSignIn:
      let email = try requiredAddress()
      return try accounts.makeSignInCode(email: email, from: origin)
    case .verifyEmail:
      return try accounts.makeVerificationCode(try holder(accounts).user, from: origin)
    case .verifyAndChangeEmail:
      let newEmail = try requiredAddress("newEmail", else: "MISSING_NEW_EMAIL")
      let holder = try holder(accounts)
      return try accounts.makeEmailChangeCode(
        holder.user,
        signedInBy: holder.token,
        newEmail: newEmail,
        from: origin
      )
    case .recoverEmail: throw IdentityFailure.code("INVALID_REQ_TYPE")
    }
  }

  /// Returns the user of the address: the holder of the ID token, or the user named by an
  /// administrator.
  private func holder(_ accounts: ProjectAccounts) throws -> (user: User, token: IDToken?) {
    if let idToken = message.text("idToken") { return try accounts.signedIn(idToken) }
    guard isAdministrator else { throw IdentityFailure.code("MISSING_ID_TOKEN") }
    let email = try requiredAddress()
    guard let user = try accounts.user(email: email) else { throw AccountError(.userNotFound) }
    return (user, nil)
  }

  /// Refuses continue addresses that are not a web address of the project's domains.
  private func checkContinueURL(isRequired: Bool) async throws {
    guard let url = message.text("continueUrl") else {
      if isRequired { throw IdentityFailure.code("MISSING_CONTINUE_URI") }
      return
    }
    guard let host = WebAddress(url)?.host else {
      throw AccountError(.invalidContinueURI, "((continueUrl must be a web address))")
    }
    if service.environment.isDevelopment { return }
    let project = project.string
    let domains = try await accounts { try $0.configuration().authorizedDomains(of: project) }
    let own = WebAddress(service.accounts.origin)?.host
    guard host == own || domains.contains(where: { $0.lowercased() == host }) else {
      throw AccountError(.unauthorizedDomain, "Domain not allowlisted by project")
    }
  }

  /// The address of our page for a code, made of the configured origin and of nothing that a client
  /// said about where it is.
  private func link(_ purpose: CodePurpose, _ code: String) -> String {
    var fields = [
      ("mode", purpose.mode), ("oobCode", code),
      ("apiKey", envelope.query.apiKey ?? envelope.apiKey ?? project.string),
      ("lang", CodeEmail.language(of: envelope.locale).rawValue),
    ]
    if let url = message.text("continueUrl") { fields.append(("continueUrl", url)) }
    return "\(service.accounts.origin)/__/auth/action?\(PercentEncoding.form(fields))"
  }

  /// `accounts:resetPassword`: the purpose of a code, or with a new password its use; without a
  /// code, a new password for the old one.
  func resetPassword() async throws -> JSONValue {
    if message.text("oobCode") == nil, let old = message.text("oldPassword") {
      return try await changePassword(from: old)
    }
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

extension IdentityCall {
  private func changePassword(from old: String) async throws -> JSONValue {
    let email = try requiredAddress()
    let new = try required("newPassword", else: "MISSING_PASSWORD")
    let user = try await accounts {
      try $0.changePassword(email: email, from: old, to: new, origin: origin)
    }
    var answer = AnswerBuilder(kind: "ResetPasswordResponse")
    answer.put("email", user.email?.string)
    answer.put("requestType", "PASSWORD_RESET")
    return answer.json
  }
}

/// The parts of a web address that decide where it leads.
struct WebAddress {
  /// In lower case.
  let host: String
  /// True of an https address.
  let isSecure: Bool

  /// Nil for text that is not a plain http or https address.
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
    isSecure = length == 8
  }
}
