import Authentication
import BaseJSON
import BaseText

// The operations of clients on a project.

extension IdentityCall {
  /// GET `projects`: the domains that may begin sign-ins.
  func projectConfig() async throws -> JSONValue {
    let configuration = try await accounts { try $0.configuration() }
    let (service, project) = (self.service, self.project)
    var domains = try await accounts { _ in try service.domains(of: project) }
    // Pages of the server's own host may sign in as well.
    if let own = WebAddress(service.accounts.origin)?.host, !domains.contains(own) {
      domains.append(own)
    }
    var answer = AnswerBuilder()
    answer.put("projectId", ProjectNumber(project).text)
    answer.put(
      "authorizedDomains",
      domains.map(JSONValue.string)
    )
    answer.set("allowPasswordUser", .boolean(configuration.allowsPassword))
    answer.set("enableAnonymousUser", .boolean(configuration.allowsAnonymous))
    return answer.json
  }

  /// GET `recaptchaParams`: a key that no service knows; nothing asks for its outcome.
  func recaptchaParameters() -> JSONValue {
    var answer = AnswerBuilder(kind: "GetRecaptchaParamResponse")
    answer.put("recaptchaStoken", "none")
    answer.put("recaptchaSiteKey", "none")
    return answer.json
  }

  /// GET `recaptchaConfig`: no proof of being human is required.
  ///
  /// Clients take the last part of the key's name, and use it for providers that are not off.
  func recaptchaConfig() -> JSONValue {
    let states = ["EMAIL_PASSWORD_PROVIDER", "PHONE_PROVIDER"].map { provider in
      JSONValue.object(["provider": .string(provider), "enforcementState": .string("OFF")])
    }
    return .object([
      "recaptchaKey": .string("projects/\(ProjectNumber(project).text)/keys/none"),
      "recaptchaEnforcementState": .array(states),
    ])
  }

  /// GET `passwordPolicy`.
  func passwordPolicy() async throws -> JSONValue {
    let policy = try await accounts { try $0.configuration().passwordPolicy }
    var options = AnswerBuilder()
    options.set("minPasswordLength", .number("\(policy.minimumLength)"))
    options.set("maxPasswordLength", .number("\(policy.maximumLength)"))
    options.put("containsLowercaseCharacter", policy.requiresLowercase)
    options.put("containsUppercaseCharacter", policy.requiresUppercase)
    options.put("containsNumericCharacter", policy.requiresDigit)
    options.put("containsNonAlphanumericCharacter", policy.requiresSymbol)
    return .object([
      "customStrengthOptions": options.json,
      "allowedNonAlphanumericCharacters": .array(
        PasswordPolicy.symbols.map { .string(String($0)) }
      ),
      "enforcementState": .string("ENFORCE"),
      "forceUpgradeOnSignin": .boolean(false),
      "schemaVersion": .number("1"),
    ])
  }
}

/// The number of a project where Google's APIs want one; made of its id, always the same.
struct ProjectNumber {
  let text: String

  /// FNV-1a of the id, brought to twelve digits.
  init(_ project: Text) {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in project.string.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    text = String(100_000_000_000 + hash % 900_000_000_000)
  }
}
