import Authentication
import BaseJSON
import BaseText
import FirestoreWire

// The pages by which Google's SDK for the web signs in with a provider, in a popup or by a redirect:
//
//     GET  /iframe      a hidden frame in the app's page, which gives the SDK the event of a sign-in
//     GET  /handler     the popup's page, or the one that the app's page leads to: on to the provider and back
//
// The server checks the parameters and sends the pages' scripts the result; the scripts never
// decide which origins belong to a project. An event travels from the handler to the frame within
// the browser, in the server's own origin.

extension IdentityService {
  /// The frame, which pages of other origins than the project's cannot show.
  func frame(_ envelope: IdentityEnvelope) async throws -> IdentityPage {
    let project = try await blocking { try pageProject(of: envelope) }
    let origins = try await origins(of: project, envelope)
    var facts = AnswerBuilder()
    facts.set("origins", .array(origins.sources.map(JSONValue.string)))
    facts.put("isDevelopment", environment.isDevelopment)
    var page = IdentityPage(type: "text/html", content: PageFiles.frame(facts.json))
    page.policy = .frame(in: origins, loadsGoogle: environment.isDevelopment)
    return page
  }

  /// The handler: where a sign-in begins when the address names one, else where a provider leads back to.
  func handler(
    _ envelope: IdentityEnvelope,
    _ language: CodeEmail.Language
  ) async throws -> IdentityPage {
    var facts = AnswerBuilder()
    if let address = appReturn(of: envelope) {
      var page = IdentityPage(type: "text/html", content: "")
      page.location = address
      return page
    }
    if envelope.parameter("authType") != nil || envelope.parameter("providerId") != nil {
      facts = try await checked(SignInRequest(envelope), envelope)
    }
    return IdentityPage(type: "text/html", content: PageFiles.handler(language, facts.json))
  }

  /// The address of the app that the provider's response is for, with the response; nil for responses to pages.
  ///
  /// The state says so, with this server's signature. The app checks that the state is of its own sign-in.
  private func appReturn(of envelope: IdentityEnvelope) -> String? {
    guard let state = envelope.parameter("state"),
      let text = environment.providers.appAddress(inState: state),
      let address = appAddress(text)
    else { return nil }
    let fields = Self.returnedFields.compactMap { name in
      envelope.parameter(name).map { (name, $0) }
    }
    return "\(address.text)?\(PercentEncoding.form(fields))"
  }

  /// The facts for the page: if the request may continue, and its error otherwise.
  private func checked(
    _ request: SignInRequest,
    _ envelope: IdentityEnvelope
  ) async throws -> AnswerBuilder {
    var facts = AnswerBuilder()
    facts.put("isDevelopment", environment.isDevelopment)
    do {
      let project = try await blocking { try pageProject(of: envelope) }
      facts.put("project", project.string)
      let isOfApp = request.appAddress != nil
      try await checkReturn(request, project, envelope)
      // From here on errors may go to the app.
      facts.put("isAuthorized", true)
      try request.check()
      let isSetUp = try await isSetUp(request.providerID, in: project)
      guard isSetUp || environment.isDevelopment else { throw SignInProblem.operationNotAllowed }
      // An app begins at the provider's page by itself; this page asks which account to invent.
      facts.put("isSetUp", isSetUp && !isOfApp)
    } catch let problem as SignInProblem {
      facts.put("problem", "auth/\(problem.rawValue)")
    } catch is IdentityFailure {
      facts.put("problem", "auth/\(SignInProblem.invalidAPIKey.rawValue)")
    }
    return facts
  }

  /// Refuses sign-ins that lead back to an unknown page or app.
  private func checkReturn(
    _ request: SignInRequest,
    _ project: Text,
    _ envelope: IdentityEnvelope
  ) async throws {
    if let app = request.appAddress {
      do {
        try await check(app, of: project)
      } catch is AccountError {
        throw SignInProblem.unauthorizedDomain
      }
      return
    }
    guard let address = request.redirectAddress,
      try await origins(of: project, envelope).contains(address)
    else { throw SignInProblem.unauthorizedDomain }
  }

  private func isSetUp(_ id: String, in project: Text) async throws -> Bool {
    let accounts = accounts.project(project)
    return try await blocking {
      try IdentityCall.kind(of: id).flatMap { try accounts.provider($0, id) }?.isEnabled == true
    }
  }

  /// The origins of the project's pages.
  func origins(
    of project: Text,
    _ envelope: IdentityEnvelope
  ) async throws -> AuthorizedOrigins {
    let hosts = try await blocking { try domains(of: project) }
    // Development serves by every name that its operator allowed, to telephones too, and pages may have the same.
    let asked =
      environment.isDevelopment
      ? envelope.authority.flatMap { WebAddress("http://\($0)")?.host } : nil
    return AuthorizedOrigins(
      domains: hosts + [asked].compactMap(\.self),
      server: self.accounts.origin,
      allowsHTTP: environment.isDevelopment
    )
  }

  /// The hosts whose pages belong to the project, without the server's own.
  func domains(of project: Text) throws -> [String] {
    let domains = try accounts.project(project).configuration()
      .authorizedDomains(of: project.string)
    return domains + environment.developmentHosts.filter { !domains.contains($0) }
  }

  /// The project of the parameter `apiKey`.
  func pageProject(of envelope: IdentityEnvelope) throws -> Text {
    guard let key = envelope.parameter("apiKey"), !key.isEmpty, key.utf8.count <= 200 else {
      throw IdentityFailure.missingKey
    }
    return try project(ofKey: key)
  }

  /// The app's page that a sign-in link in an email leads to; nil where the link is incomplete or its page belongs to no
  /// authorized domain.
  func appPage(of envelope: IdentityEnvelope) async throws -> String? {
    guard envelope.parameter("mode") == CodePurpose.emailSignIn.mode,
      envelope.parameter("oobCode")?.isEmpty == false,
      let next = envelope.parameter("continueUrl"), let address = WebAddress(next)
    else { return nil }
    do {
      let project = try await blocking { try pageProject(of: envelope) }
      let own = WebAddress(accounts.origin)?.host
      let hosts = try await blocking { try domains(of: project) }
      guard address.host == own || hosts.contains(where: { $0.lowercased() == address.host })
      else { return nil }
    } catch is IdentityFailure {
      return nil
    }
    let fields = envelope.query.parameters.filter { $0.name != "continueUrl" }
    return Self.adding(fields.map { ($0.name, $0.value) }, to: next)
  }

  /// The address with further fields in its query.
  private static func adding(_ fields: [(String, String)], to address: String) -> String {
    let parts = address.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let separator = parts[0].contains("?") ? "&" : "?"
    let fragment = parts.count > 1 ? "#\(parts[1])" : ""
    return "\(parts[0])\(separator)\(PercentEncoding.form(fields))\(fragment)"
  }
}

/// A sign-in as the address of the handler asks for it.
private struct SignInRequest {
  let providerID: String
  /// The page to go back to; its query may be long.
  let redirectAddress: WebAddress?
  /// The address of an app in place of a page.
  let appAddress: AppAddress?
  private let type: String
  private let eventID: String
  private let appName: String
  private let hasTenant: Bool
  private let others: [String]

  private static let types: Set<String> = [
    "signInViaPopup", "linkViaPopup", "reauthViaPopup", "signInViaRedirect", "linkViaRedirect",
    "reauthViaRedirect",
  ]

  init(_ envelope: IdentityEnvelope) {
    providerID = envelope.parameter("providerId") ?? ""
    let redirectURL = envelope.parameter("redirectUrl") ?? ""
    redirectAddress = WebAddress(String(redirectURL.prefix { $0 != "?" && $0 != "#" }))
    appAddress = AppAddress(redirectURL)
    type = envelope.parameter("authType") ?? ""
    eventID = envelope.parameter("eventId") ?? ""
    appName = envelope.parameter("appName") ?? ""
    hasTenant = envelope.parameter("tid")?.isEmpty == false
    others = ["scopes", "customParameters"].compactMap { envelope.parameter($0) }
  }

  func check() throws {
    guard Self.types.contains(type), !eventID.isEmpty, eventID.utf8.count <= 200,
      !appName.isEmpty, appName.utf8.count <= 200, others.allSatisfy({ $0.utf8.count <= 4_096 })
    else { throw SignInProblem.invalidRequest }
    guard !hasTenant else { throw SignInProblem.unsupportedTenant }
    guard !["", "password", "phone", "anonymous"].contains(providerID),
      providerID.utf8.count <= 100
    else { throw SignInProblem.invalidProviderID }
    guard !providerID.hasPrefix("saml.") else { throw SignInProblem.operationNotAllowed }
  }
}

/// The reasons why a sign-in does not begin, by the names that Google's SDK has for them.
private enum SignInProblem: String, Error {
  case invalidAPIKey = "invalid-api-key"
  case unauthorizedDomain = "unauthorized-domain"
  case invalidRequest = "argument-error"
  case unsupportedTenant = "unsupported-tenant-operation"
  case invalidProviderID = "invalid-provider-id"
  case operationNotAllowed = "operation-not-allowed"
}
