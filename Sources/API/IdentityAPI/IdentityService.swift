import Access
import Authentication
import BaseJSON
import BaseRuntime
import BaseStatus
import BaseText
import HTTPTypes

/// The operations of the account APIs: reads a request's message, names its project, makes one call
/// of the domain, answers.
struct IdentityService: Sendable {
  let environment: IdentityEnvironment
  private let threads: EngineThreads

  init(environment: IdentityEnvironment, threads: EngineThreads) {
    self.environment = environment
    self.threads = threads
  }

  var accounts: Accounts { environment.accounts }

  /// Runs blocking work on the accounts' threads.
  func blocking<R: Sendable>(_ work: @escaping @Sendable () throws -> R) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      let accepted = threads.submit { continuation.resume(with: Result { try work() }) }
      guard accepted else {
        return continuation.resume(
          throwing: AccountError(.tooManyAttempts, "Too many requests at once. Try again later.")
        )
      }
    }
  }

  // MARK: Who calls

  /// Identifies the caller.
  ///
  /// Operations for administrators only are refused to other callers, before the request is read.
  ///
  /// - Parameter changes: True for a method that changes something.
  func caller(
    _ context: CallContext,
    of route: IdentityRoute,
    changes: Bool
  ) async throws -> Caller {
    switch route {
    case .configuration(let project, _) where changes:
      let right = AdministrativeAct.changeSignInMethods.right
      let caller = try await identify(
        context.demanding(right.role, isRecent: right.takesRecentSignIn)
      )
      guard caller != .nobody else { throw IdentityFailure.missingCredentials }
      try environment.access.requireAdministration(caller, of: Text(project))
      return caller
    case .admin(let project, _), .configuration(let project, _):
      let caller = try await identify(context)
      guard caller != .nobody else { throw IdentityFailure.missingCredentials }
      try environment.access.requireAdministration(caller, of: Text(project))
      return caller
    case .signBlob:
      // Signed bytes are as good as a key of the account: the right to them is the right to make keys.
      let right = AdministrativeAct.makeKey.right
      let caller = try await identify(
        context.demanding(right.role, isRecent: right.takesRecentSignIn)
      )
      guard caller != .nobody else { throw IdentityFailure.missingCredentials }
      try environment.access.requireAdministration(caller)
      return caller
    case .client:
      // Clients send no bearer; a back end that does is an administrator on a client's path.
      return context.authorization == nil ? .nobody : try await identify(context)
    case .token, .assertion, .keys, .discovery, .emulator, .page, .association, .unknown:
      return .nobody
    }
  }

  /// Like the choke point; text that is no credential at all gets the same response as an invalid
  /// one.
  private func identify(_ context: CallContext) async throws -> Caller {
    let access = environment.access
    do {
      if let known = try access.identifyInMemory(context) { return known }
      return try await blocking { try access.identify(context) }
    } catch let error as ServiceError where error.code == .invalidArgument {
      throw IdentityFailure.missingCredentials
    }
  }

  // MARK: Dispatch

  func perform(_ route: IdentityRoute, _ envelope: IdentityEnvelope) async throws -> IdentityAnswer
  {
    switch route {
    case .client(let name): return try await client(name, envelope)
    case .admin(let project, let name):
      guard let operation = AdminOperations.all[name], operation.method == envelope.method else {
        throw IdentityFailure.notFound
      }
      return try await run(operation, envelope, project: Text(project))
    case .configuration(let project, let segments):
      return try await configuration(Text(project), segments, envelope)
    case .token:
      return .json(try await refresh(envelope))
    case .assertion: return .json(try await exchange(envelope))
    case .signBlob(let account): return .json(try await signBlob(account, envelope))
    case .keys(let kind): return try await keys(kind)
    case .discovery(let project): return discovery(project)
    case .emulator(let project, let segments):
      return try await emulator(Text(project), segments, envelope)
    case .association(let system):
      guard envelope.method == .get || envelope.method == .head else {
        throw IdentityFailure.notFound
      }
      return try await system == .apple ? appleAssociation() : androidAssociation()
    case .page: return try await page(route, envelope)
    case .unknown: throw IdentityFailure.notFound
    }
  }

  private func client(_ name: String, _ envelope: IdentityEnvelope) async throws -> IdentityAnswer {
    guard let operation = ClientOperations.all[name] else { throw IdentityFailure.notFound }
    let isOldRead = envelope.method == .get && operation.method == .post
    guard operation.method == envelope.method || isOldRead || name == "projects" else {
      throw IdentityFailure.notFound
    }
    let project = try await blocking { try self.project(of: envelope) }
    return try await run(operation, envelope, project: project)
  }

  private func run(
    _ operation: IdentityOperation,
    _ envelope: IdentityEnvelope,
    project: Text
  ) async throws -> IdentityAnswer {
    let message = operation.readsBody ? try operation.shape.read(envelope.body) : IdentityMessage()
    try Self.refuseTenants(message, envelope)
    if !envelope.believesClaims, let token = message.text("idToken") {
      try accounts.requireProof(ofIDToken: token)
    }
    let call = IdentityCall(
      service: self,
      project: project,
      message: message,
      envelope: envelope
    )
    return .json(try await operation.run(call))
  }

  /// Tenants are not served, and say so.
  private static func refuseTenants(
    _ message: IdentityMessage,
    _ envelope: IdentityEnvelope
  ) throws {
    guard message.text("tenantId") == nil, envelope.parameter("tenantId") == nil else {
      throw AccountError(.tenantsUnsupported, "Brasa does not support tenants.")
    }
  }
}

/// One operation of the account APIs.
struct IdentityOperation: Sendable {
  var method = HTTPRequest.Method.post
  let shape: MessageShape
  /// True if the body is read at all; an operation that refuses every request need not.
  var readsBody = true
  let run: @Sendable (IdentityCall) async throws -> JSONValue
}

/// A request that an operation answers.
struct IdentityCall: Sendable {
  let service: IdentityService
  let project: Text
  let message: IdentityMessage
  let envelope: IdentityEnvelope

  /// True if an administrator calls, on whichever path.
  var isAdministrator: Bool { envelope.isAdministrator }

  var origin: RequestOrigin {
    isAdministrator ? .administrator : .client(address: envelope.address)
  }

  /// Notes for the audit trail which users an administrator's call is about.
  func note(_ verb: String, _ uids: [Text]) {
    for uid in uids { envelope.context.actor?.note(subject: "\(verb) \(uid.string)") }
  }

  /// Refuses other callers, on paths that clients have too.
  func requireAdministrator() throws {
    guard isAdministrator else {
      throw IdentityFailure.code("INSUFFICIENT_PERMISSION", "Insufficient permission.")
    }
  }

  /// Makes one blocking call on the project's accounts.
  func accounts<R: Sendable>(
    _ work: @escaping @Sendable (ProjectAccounts) throws -> R
  ) async throws -> R {
    let accounts = service.accounts.project(project)
    return try await service.blocking { try work(accounts) }
  }

  /// The email of a field that must be there.
  func requiredAddress(
    _ name: String = "email",
    else code: String = "MISSING_EMAIL"
  ) throws -> String {
    guard let address = try message.address(name) else { throw IdentityFailure.code(code) }
    return address
  }

  /// The text of a field that must be there; its absence has a code of its own.
  func required(_ name: String, else code: String) throws -> String {
    guard let text = message.text(name) else { throw IdentityFailure.code(code) }
    return text
  }
}
