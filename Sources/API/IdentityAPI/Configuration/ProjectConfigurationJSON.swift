import Authentication
import BaseJSON
import BaseText

/// A project's configuration as the resource `config` of identitytoolkit v2.
enum ProjectConfigurationJSON {
  /// The resource.
  ///
  /// - Parameter hashes: The parameters of the project's password hashes, for who may read them.
  static func json(
    _ configuration: ProjectConfiguration,
    scope: AccountScope,
    hashes: FirebaseScrypt? = nil
  ) -> JSONValue {
    let policy = configuration.passwordPolicy
    let options: JSONValue = .object([
      "minPasswordLength": .number("\(policy.minimumLength)"),
      "maxPasswordLength": .number("\(policy.maximumLength)"),
      "containsLowercaseCharacter": .boolean(policy.requiresLowercase),
      "containsUppercaseCharacter": .boolean(policy.requiresUppercase),
      "containsNumericCharacter": .boolean(policy.requiresDigit),
      "containsNonAlphanumericCharacter": .boolean(policy.requiresSymbol),
    ])
    let state = configuration.allowsTOTP ? "ENABLED" : "DISABLED"
    var mobileLinks = AnswerBuilder()
    mobileLinks.put("domain", configuration.mobileLinksDomain?.rawValue)
    return .object([
      "name": .string("\(scope)/config"),
      "notification": .object(["sendEmail": MailTemplatesJSON.json(configuration.mail)]),
      "signIn": signIn(configuration, hashes),
      "mobileLinksConfig": mobileLinks.json,
      "client": .object([
        "permissions": .object([
          "disabledUserSignup": .boolean(!configuration.allowsSignUp),
          "disabledUserDeletion": .boolean(!configuration.allowsDeletion),
        ])
      ]),
      "emailPrivacyConfig": .object([
        "enableImprovedEmailPrivacy": .boolean(configuration.hidesAccounts)
      ]),
      "authorizedDomains": .array(
        configuration.authorizedDomains(of: scope.project?.string ?? "").map(JSONValue.string)
      ),
      "mfa": .object([
        "state": .string(state),
        "providerConfigs": .array([
          .object([
            "state": .string(state),
            "totpProviderConfig": .object([
              "adjacentIntervals": .number("\(configuration.adjacentIntervals)")
            ]),
          ])
        ]),
      ]),
      "passwordPolicyConfig": .object([
        "passwordPolicyEnforcementState": .string(policy == PasswordPolicy() ? "OFF" : "ENFORCE"),
        "passwordPolicyVersions": .array([.object(["customStrengthOptions": options])]),
      ]),
    ])
  }

  private static func signIn(
    _ configuration: ProjectConfiguration,
    _ hashes: FirebaseScrypt?
  ) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init(
        "email",
        .object([
          "enabled": .boolean(configuration.allowsPassword),
          "passwordRequired": .boolean(!configuration.allowsEmailLink),
        ])
      ),
      .init("anonymous", .object(["enabled": .boolean(configuration.allowsAnonymous)])),
      .init("phoneNumber", .object(["enabled": .boolean(false)])),
      .init("allowDuplicateEmails", .boolean(false)),
    ]
    if let hashes { members.append(.init("hashConfig", hashConfig(hashes))) }
    return .object(members)
  }

  private static func hashConfig(_ hashes: FirebaseScrypt) -> JSONValue {
    .object([
      "algorithm": .string("SCRYPT"),
      "signerKey": .string(Base64.standard(hashes.signerKey)),
      "saltSeparator": .string(Base64.standard(hashes.saltSeparator)),
      "rounds": .number("\(hashes.rounds)"),
      "memoryCost": .number("\(hashes.memoryCost)"),
    ])
  }

  /// Puts a change's fields into the configuration.
  static func apply(
    _ body: JSONValue,
    mask: UpdateMask?,
    to configuration: inout ProjectConfiguration
  ) throws {
    var reader = try ChangeReader(body, mask: mask)
    reader.pass(
      "name",
      "signIn.hashConfig",
      "subtype",
      "passwordPolicyConfig.forceUpgradeOnSignin",
      "passwordPolicyConfig.lastUpdateTime"
    )
    try reader.flag("signIn.email.enabled") { configuration.allowsPassword = $0 }
    try reader.flag("signIn.email.passwordRequired") { configuration.allowsEmailLink = !$0 }
    try reader.flag("signIn.anonymous.enabled") { configuration.allowsAnonymous = $0 }
    try refuse("signIn.phoneNumber.enabled", "Sign-in by telephone number", &reader)
    try refuse("signIn.allowDuplicateEmails", "One e-mail for several accounts", &reader)
    try reader.flag("client.permissions.disabledUserSignup") { configuration.allowsSignUp = !$0 }
    try reader.flag("client.permissions.disabledUserDeletion") {
      configuration.allowsDeletion = !$0
    }
    try reader.flag("emailPrivacyConfig.enableImprovedEmailPrivacy") {
      configuration.hidesAccounts = $0
    }
    try reader.array("authorizedDomains") { elements in
      configuration.authorizedDomains = try elements.map { element in
        guard case .string(let text) = element, WebAddress("https://\(text)")?.host == text else {
          throw IdentityFailure.invalid("Invalid value at 'authorizedDomains' (TYPE_STRING)")
        }
        return text
      }
    }
    try reader.text("mobileLinksConfig.domain") { text in
      configuration.mobileLinksDomain = try text.flatMap { text in
        guard text != "DOMAIN_UNSPECIFIED" else { return nil }
        guard let domain = ProjectConfiguration.MobileLinksDomain(rawValue: text) else {
          throw IdentityFailure.invalid("Invalid value at 'mobileLinksConfig.domain' (TYPE_ENUM)")
        }
        return domain
      }
    }
    try MailTemplatesJSON.apply(&reader, to: &configuration.mail)
    try applySecondFactors(&reader, to: &configuration)
    try applyPolicy(&reader, to: &configuration)
    try reader.finish()
  }

  private static func refuse(
    _ path: String,
    _ subject: String,
    _ reader: inout ChangeReader
  ) throws {
    var isWanted = false
    try reader.flag(path) { isWanted = $0 }
    if isWanted {
      throw AccountError(.operationNotAllowed, "\(subject) is not supported by this server.")
    }
  }

  private static func applySecondFactors(
    _ reader: inout ChangeReader,
    to configuration: inout ProjectConfiguration
  ) throws {
    try reader.array("mfa.enabledProviders") { providers in
      guard providers.isEmpty else { throw ClientOperations.noMessages }
    }
    try reader.text("mfa.state") { configuration.allowsTOTP = $0 == "ENABLED" }
    try reader.array("mfa.providerConfigs") { elements in
      guard let first = elements.first else { return }
      if case .string(let state)? = first[["state"]] {
        configuration.allowsTOTP = state == "ENABLED"
      }
      if case .number(let text)? = first[["totpProviderConfig", "adjacentIntervals"]],
        let number = Int(text)
      {
        configuration.adjacentIntervals = number
      }
    }
  }

  private static func applyPolicy(
    _ reader: inout ChangeReader,
    to configuration: inout ProjectConfiguration
  ) throws {
    try reader.array("passwordPolicyConfig.passwordPolicyVersions") { elements in
      guard let options = elements.first?[["customStrengthOptions"]] else { return }
      var policy = configuration.passwordPolicy
      policy.minimumLength = number(options, "minPasswordLength") ?? policy.minimumLength
      policy.maximumLength = number(options, "maxPasswordLength") ?? policy.maximumLength
      policy.requiresLowercase = flag(options, "containsLowercaseCharacter")
      policy.requiresUppercase = flag(options, "containsUppercaseCharacter")
      policy.requiresDigit = flag(options, "containsNumericCharacter")
      policy.requiresSymbol = flag(options, "containsNonAlphanumericCharacter")
      configuration.passwordPolicy = policy
    }
    try reader.text("passwordPolicyConfig.passwordPolicyEnforcementState") { state in
      // Without a policy that is enforced, Firebase asks for six characters.
      if state == "OFF" { configuration.passwordPolicy = PasswordPolicy() }
    }
  }

  private static func number(_ json: JSONValue, _ name: String) -> Int? {
    if case .number(let text)? = json[[name]] { Int(text) } else { nil }
  }

  private static func flag(_ json: JSONValue, _ name: String) -> Bool {
    json[[name]] == .boolean(true)
  }
}
