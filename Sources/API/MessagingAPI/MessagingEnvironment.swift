import Access
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import FirestoreWire
import HTTPTypes
import PushMessaging
import ServiceModule

/// The parts of the program that the routes of messaging depend on.
package struct MessagingEnvironment: Sendable {
  /// An app's installation, as its authentication token proves it.
  package struct Installation: Sendable {
    /// The id of the project that issued the token.
    package let project: Text
    /// The Firebase installation id.
    package let id: String
    /// The id of the app, such as `1:42:ios:ab`.
    package let appID: String

    /// An installation of an app.
    package init(project: Text, id: String, appID: String) {
      self.project = project
      self.id = id
      self.appID = appID
    }
  }

  /// The messages and registrations that the routes serve.
  package let service: PushService
  /// Decides which callers may send and administer.
  package let access: AccessControl
  /// The pools on which work that blocks runs.
  package let threads: EngineThreads
  /// The rules by which a client's API key names a project.
  package let keys: ProjectKeys
  /// The installation whose valid authentication token it is; does not block.
  package let installation: @Sendable (_ token: String) -> Installation?
  private let quota: NetworkQuota
  private let subscriptions: NetworkQuota
  private let pushes: NetworkQuota
  private let named = NamedProjects()
  /// The address at which senders reach the server, as `https://push.example.org`; nil is that of
  /// the request.
  package var origin: String?
  /// The address that the server listens on, as `http://127.0.0.1:8080`.
  package var ownOrigin = ""
  /// True if the legacy form takes any server key, which names its project then.
  package var takesAnyServerKey = false

  /// Collects the dependencies of the routes.
  package init(
    service: PushService,
    access: AccessControl,
    threads: EngineThreads,
    keys: ProjectKeys,
    installation: @escaping @Sendable (_ token: String) -> Installation?
  ) {
    quota = NetworkQuota(limit: service.limits.registrationsPerNetwork)
    subscriptions = NetworkQuota(limit: service.limits.subscriptionsPerNetwork)
    pushes = NetworkQuota(limit: service.limits.pushesPerNetwork)
    self.service = service
    self.access = access
    self.threads = threads
    self.keys = keys
    self.installation = installation
  }

  /// Throws PERMISSION_DENIED for callers who may not send in the path's project, or anywhere where it names none.
  func requireSender(_ request: ServiceRequest) async throws {
    let (access, context) = (access, request.context)
    if let known = try access.identifyInMemory(context) {
      return try access.requireAdministration(known, of: request.project)
    }
    try await threads.run(caller: context.network) {
      try access.requireAdministration(try access.identify(context), of: request.project)
    }
  }

  /// The account behind a request's credentials, as people know it.
  func accountName(_ request: ServiceRequest) async throws -> String {
    let (access, context) = (access, request.context)
    return try await threads.run(caller: context.network) { try access.account(of: context).name }
  }

  /// Returns true if the caller may send, is known without a look at the disk and leaves no trace
  /// in the audit trail; throws if the caller may not send.
  func isSenderInMemory(_ request: ServiceRequest) throws -> Bool {
    guard let known = try access.identifyInMemory(request.context) else { return false }
    try access.requireAdministration(known, of: request.project)
    return request.context.actor?.administrator == nil
  }

  /// The project that an app's request is about, by its API key.
  func project(of request: ServiceRequest) async throws -> Text {
    let (key, path) = try Self.projectNames(in: request)
    let (keys, named) = (keys, named)
    return try await threads.run(caller: request.context.network) {
      let project = try keys.project(key: key, path: path)
      named.note(project, key: key)
      return project
    }
  }

  /// The same where memory knows that the key is a project's; nil otherwise.
  func projectInMemory(of request: ServiceRequest) throws -> Text? {
    let (key, path) = try Self.projectNames(in: request)
    if keys.takesAnyKey { return try keys.project(key: key, path: path) }
    guard let key, named.has(Text(key)) else { return nil }
    return try keys.project(key: key, path: path) { named.has($0) }
  }

  private static func projectNames(
    in request: ServiceRequest
  ) throws -> (key: String?, path: Text) {
    (
      try QueryParameters(request.query).apiKey ?? request.headers[.googleAPIKey],
      Text(request.parameters["project"] ?? "")
    )
  }

  /// The installation that a request comes from; UNAUTHENTICATED where it proves none, or one of another project.
  func installation(
    of request: ServiceRequest,
    in project: Text
  ) throws(ServiceError) -> Installation {
    let known = try installation(of: request)
    guard known.project == project else { throw Self.invalidInstallation }
    return known
  }

  private static let invalidInstallation = ServiceError(
    .unauthenticated,
    "The installation's token is not valid."
  )

  /// Makes a registration, unless the client's network made too many; gives its token.
  func register(_ asked: RegistrationRequest, _ request: ServiceRequest) async throws -> String {
    try countRegistration(request)
    return try await service.register(asked)
  }

  /// Changes a registration and keeps its token, unless the client's network made or changed too many.
  func renew(
    _ token: String,
    _ asked: RegistrationRequest,
    _ request: ServiceRequest
  ) async throws {
    try countRegistration(request)
    try await service.renew(token, asked)
  }

  private func countRegistration(_ request: ServiceRequest) throws(MessagingError) {
    guard quota.take(request.context.network, now: service.now) else {
      throw MessagingError(.quotaExceeded, "Too many registrations were created. Try again later.")
    }
  }

  /// Subscribes a client's registration to a topic, or ends that, unless its network made too many.
  func changeTopic(
    _ topic: TopicName,
    of token: String,
    in project: Text,
    subscribing: Bool,
    _ request: ServiceRequest
  ) async throws {
    if subscribing {
      try service.requireSpace()
      try countSubscription(request)
    }
    let failures = try await service.changeTopic(
      topic,
      of: [token],
      in: project,
      subscribing: subscribing
    )
    guard let failure = failures.first ?? nil else { return }
    throw MessagingError(.quotaExceeded, "The subscription was refused: \(failure.rawValue).")
  }

  /// Counts one subscription or push resource; QUOTA_EXCEEDED where the client's network made too many.
  func countSubscription(_ request: ServiceRequest) throws(MessagingError) {
    guard subscriptions.take(request.context.network, now: service.now) else {
      throw MessagingError(.quotaExceeded, "Too many subscriptions were created. Try again later.")
    }
  }

  /// Counts one message to a push resource; QUOTA_EXCEEDED where the sender's network sent too many.
  func countPush(_ request: ServiceRequest) throws(MessagingError) {
    guard pushes.take(request.context.network, now: service.now) else {
      throw MessagingError(.quotaExceeded, "Too many messages were sent. Try again later.")
    }
  }

  /// The origin of URLs that a client asks for, to give them to others.
  func origin(of request: ServiceRequest) -> String { origin ?? request.origin }

  /// The origin of push resources for senders, independent of their headers.
  func origin(of resource: PushResource) -> String { origin ?? resource.origin ?? ownOrigin }

  /// The registration of the token in the path, which the request's installation must have made.
  func registration(of request: ServiceRequest) async throws -> Registration {
    let project = try await project(of: request)
    let installation = try installation(of: request, in: project)
    let known = try await service.registration(of: request.variable("token"), in: project)
    guard known.installation == installation.id else { throw MessagingError.unregistered }
    try await service.hear(known)
    return known
  }

  /// The installation that a request comes from, of any project.
  func installation(of request: ServiceRequest) throws(ServiceError) -> Installation {
    let header = request.headers[.installationToken] ?? ""
    let token = header.hasPrefix("FIS ") ? String(header.dropFirst(4)) : header
    guard let known = installation(token) else { throw Self.invalidInstallation }
    return known
  }

  /// The user of the request's ID token; nil without one, or for another project's.
  func user(of request: ServiceRequest, in project: Text) async throws -> String? {
    guard let scheme = request.context.authorization?.prefix(7).lowercased(), scheme == "bearer "
    else { return nil }
    let (access, context) = (access, request.context)
    let caller = try await threads.run(caller: context.network) { try access.identify(context) }
    guard case .user(let user) = caller, user.project == project else { return nil }
    return user.uid.string
  }
}

extension ServiceRequest {
  /// The body as a JSON object; an empty one has no members.
  func object(upTo limit: Int) async throws -> JSONValue {
    try Self.object(try await collectText(upTo: limit))
  }

  /// The same of a body that came as a whole.
  func object(_ bytes: [UInt8]) throws -> JSONValue {
    try reserveParsed(bytes)
    return try Self.object(bytes)
  }

  private static func object(_ bytes: [UInt8]) throws -> JSONValue {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw MessagingError(
        .invalidArgument,
        "Invalid JSON payload received. The text is not valid UTF-8."
      )
    }
    guard !text.isEmpty else { return .object([]) }
    let json: JSONValue
    do throws(ServiceError) {
      json = try JSONValue(parsing: text)
    } catch {
      throw MessagingError(.invalidArgument, "Invalid JSON payload received. \(error.message)")
    }
    guard json.members != nil else {
      throw MessagingError(
        .invalidArgument,
        "Invalid JSON payload received. An object is expected."
      )
    }
    return json
  }

  /// A variable of the path.
  func variable(_ name: String) -> String { parameters[name] ?? "" }
}

extension JSONValue {
  /// The member of that name; nil for `null` too, by which clients leave a field out.
  func present(_ name: String) -> JSONValue? {
    let member = self[name]
    return member == .null ? nil : member
  }
}

extension HTTPField.Name {
  /// The field `x-goog-api-key`.
  static let googleAPIKey = named("x-goog-api-key")
  /// The field `x-goog-firebase-installations-auth`.
  static let installationToken = named("x-goog-firebase-installations-auth")
  /// The field `app`, by which Apple's clients name themselves.
  static let app = named("app")

  /// The name; for literals, which are names.
  static func named(_ name: String) -> HTTPField.Name {
    guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
    return field
  }
}

extension ServiceResponse {
  /// A JSON response.
  static func json(_ json: JSONValue, status: HTTPResponse.Status = .ok) -> ServiceResponse {
    .json(json.compactBytes, status: status)
  }

  /// An object without members.
  static let emptyObject = ServiceResponse.json(.object([]))
}
