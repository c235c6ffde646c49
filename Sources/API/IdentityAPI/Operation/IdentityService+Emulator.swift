import Authentication
import BaseJSON
import BaseText
import HTTPTypes

// Development's helper routes, below `/emulator/v1/projects/P`, as Google's Auth emulator has them:
//
//     DELETE        /accounts             deletes every account
//     GET, PATCH    /config               whether answers hide which addresses have accounts
//     GET           /oobCodes             the emails that were not sent
//     GET           /verificationCodes    none: no text messages are sent

extension IdentityService {
  /// Answers a request for a helper route.
  func emulator(
    _ project: Text,
    _ segments: [String],
    _ envelope: IdentityEnvelope
  ) async throws -> IdentityAnswer {
    let accounts = accounts.project(project)
    switch (envelope.method, segments.first, segments.count) {
    case (.delete, "accounts"?, 1):
      try await blocking { try accounts.deleteAll() }
      environment.mailbox?.clear(project)
      return .json(.object([JSONValue.Member]()))
    case (.get, "config"?, 1):
      return .json(Self.emulatorJSON(try await blocking { try accounts.configuration() }))
    case (.patch, "config"?, 1), (.put, "config"?, 1):
      let message = try RequestShapes.emulatorConfiguration.read(envelope.body)
      if message.message("signIn")?.flag("allowDuplicateEmails") == true {
        throw AccountError(
          .operationNotAllowed,
          "One e-mail for several accounts is not supported by this server."
        )
      }
      let hides = message.message("emailPrivacyConfig")?.flag("enableImprovedEmailPrivacy")
      let changed = try await blocking {
        try accounts.configure { if let hides { $0.hidesAccounts = hides } }
      }
      return .json(Self.emulatorJSON(changed))
    case (.get, "oobCodes"?, 1):
      let emails = environment.mailbox?.emails(of: project) ?? []
      let good = try await blocking {
        emails.filter { (try? accounts.inspect(code: $0.code, from: .administrator)) != nil }
      }
      return .json(.object(["oobCodes": .array(good.map(Self.emailJSON))]))
    case (.get, "verificationCodes"?, 1):
      return .json(.object(["verificationCodes": .array([])]))
    case (_, "tenants"?, _):
      throw AccountError(.tenantsUnsupported, "Brasa does not support tenants.")
    default: throw IdentityFailure.notFound
    }
  }

  private static func emailJSON(_ message: OutgoingCode) -> JSONValue {
    var answer = AnswerBuilder()
    answer.put("email", message.email)
    answer.put("newEmail", message.newEmail)
    answer.put("oobCode", message.code)
    answer.put("oobLink", message.link)
    answer.put("requestType", message.purpose.rawValue)
    return answer.json
  }

  private static func emulatorJSON(_ configuration: ProjectConfiguration) -> JSONValue {
    .object([
      "signIn": .object(["allowDuplicateEmails": .boolean(false)]),
      "emailPrivacyConfig": .object([
        "enableImprovedEmailPrivacy": .boolean(configuration.hidesAccounts)
      ]),
    ])
  }
}
