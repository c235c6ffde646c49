import Access
import BaseRuntime
import BaseStatus
import DocumentStore
import FirestoreModel
import FirestoreWire
import KeyValueStore
import Logging
import Realtime
import Synchronization

/// Firestore's API on the store: names the caller, authorises, and does one store call an operation.
///
/// Responses from memory are created on the caller's thread. Work that may touch the disk goes to
/// the engine threads; commits respond from the store's own threads once they are durable.
package final class FirestoreService: RPCService {
  /// Answers a call with the encoded response.
  typealias Respond = @Sendable (Result<[UInt8], ServiceError>) -> Void
  /// Answers a call with a stream of responses.
  typealias RespondStream = @Sendable (Result<any ResponseStream, ServiceError>) -> Void

  /// The rules of every database: deployments go here.
  package let rules: RulesetStore
  /// The choke point, which features beside the API ask too.
  package let access: AccessControl
  /// Nil where nothing can be listened to.
  let listeners: ListenHub?
  let threads: EngineThreads
  /// The most time that a pipeline may take, which is Google's.
  let longestPipeline: Duration
  private let log: Logger
  private let restorer = Mutex<(any DatabaseRestorer)?>(nil)

  /// A service on the store that `access` gives permits to.
  package init(
    rules: RulesetStore,
    access: AccessControl,
    threads: EngineThreads,
    listeners: ListenHub? = nil,
    longestPipeline: Duration = .seconds(60),
    log: Logger
  ) {
    self.rules = rules
    self.access = access
    self.listeners = listeners
    if let listeners {
      rules.onChange { _ in listeners.decideAgain() }
      access.onRevocation { listeners.checkCredentials() }
    }
    self.threads = threads
    self.longestPipeline = longestPipeline
    self.log = log
  }

  /// Lets the administration restore databases from the server's backup.
  package func restoresDatabases(by restorer: any DatabaseRestorer) {
    self.restorer.withLock { $0 = restorer }
  }

  /// Returns true where the call's credentials are genuine, from memory alone; false without credentials.
  package func recognizes(_ context: CallContext) -> Bool {
    context.authorization != nil && access.recognizes(context)
  }

  /// Performs a unary method: on the caller's thread where memory suffices, else on an engine thread.
  ///
  /// Responds with RESOURCE_EXHAUSTED where the engine's queue is full.
  package func unary(
    _ method: RPCMethod,
    request: [UInt8],
    context: CallContext,
    respond: @escaping @Sendable (Result<[UInt8], ServiceError>) -> Void
  ) {
    do {
      try perform(method, request, try makeCall(method, context), respond)
    } catch is NotInMemory {
      startOnEngine(context, respond) { [self] in
        let call = try makeCall(method, context, mayBlock: true)
        try perform(method, request, call, respond)
      }
    } catch {
      respond(.failure(reported(error, context)))
    }
  }

  /// Opens a server-streaming method, on the same threads as `unary`.
  package func stream(
    _ method: RPCMethod,
    request: [UInt8],
    context: CallContext,
    respond: @escaping @Sendable (Result<any ResponseStream, ServiceError>) -> Void
  ) {
    do {
      try open(method, request, try makeCall(method, context), respond)
    } catch is NotInMemory {
      startOnEngine(context, respond) { [self] in
        let call = try makeCall(method, context, mayBlock: true)
        try open(method, request, call, respond)
      }
    } catch {
      respond(.failure(reported(error, context)))
    }
  }

  /// Opens `Write` or `Listen`.
  ///
  /// An engine thread opens the stream if naming the caller may touch the disk; messages are queued
  /// until then.
  package func open(
    _ method: RPCMethod,
    context: CallContext,
    responses: any StreamResponses
  ) throws(ServiceError) -> any StreamCall {
    do {
      return try open(makeCall(method, context), responses)
    } catch is NotInMemory {
      return try openOnEngine(method, context, responses)
    } catch {
      throw reported(error, context)
    }
  }

  private func open(_ call: Call, _ responses: any StreamResponses) throws -> any StreamCall {
    switch (call.method, listeners) {
    case (.write, _):
      return openWriteStream(call, responses)
    case (.listen, let listeners?):
      return ListenCall(
        hub: listeners,
        authority: CallerAuthority(call.caller, call.context, access: access),
        responses: responses
      )
    case (let method, _): throw Self.unimplemented(method)
    }
  }

  /// Opens a stream with a caller that must be identified on an engine thread; messages are queued
  /// until then.
  private func openOnEngine(
    _ method: RPCMethod,
    _ context: CallContext,
    _ responses: any StreamResponses
  ) throws(ServiceError) -> any StreamCall {
    let stream = DeferredStreamCall(responses)
    let accepted = threads.submit(caller: context.network) { [self] in
      do {
        stream.open(try open(makeCall(method, context, mayBlock: true), responses))
      } catch {
        stream.fail(reported(error, context))
      }
    }
    guard accepted else { throw ServiceError.overloaded }
    return stream
  }

  /// Performs a request of the administration API, on the same threads as `unary`.
  package func administer(
    _ request: AdminRequest,
    context: CallContext,
    respond: @escaping @Sendable (Result<[UInt8]?, ServiceError>) -> Void
  ) {
    do {
      try administer(request, makeCall(nil, context), respond)
    } catch is NotInMemory {
      startOnEngine(context, respond) { [self] in
        try administer(request, makeCall(nil, context, mayBlock: true), respond)
      }
    } catch {
      respond(.failure(reported(error, context)))
    }
  }

  private func administer(
    _ request: AdminRequest,
    _ call: Call,
    _ respond: @escaping @Sendable (Result<[UInt8]?, ServiceError>) -> Void
  ) throws {
    guard let project = try request.project() else { return respond(.success(nil)) }
    // Before the rest is read: a caller without rights learns nothing about its faults.
    let permit = try access.administratorPermit(for: call.caller, of: project)
    guard let admin = try request.call() else { return respond(.success(nil)) }
    if let actor = call.context.actor, let subject = admin.subject {
      var subjects = CallSubjects()
      subjects.append(subject)
      actor.note(subjects: subjects)
    }
    let service = AdminService(permit: permit, restorer: restorer.withLock { $0 })
    try onEngine(call, lane: .maintenance, respond) {
      try request.encode(try service.perform(admin))
    }
  }

  /// A call whose caller is known; throws `NotInMemory` where to know him the disk is needed and the thread
  /// may not block.
  private func makeCall(
    _ method: RPCMethod?,
    _ context: CallContext,
    mayBlock: Bool = false
  ) throws -> Call {
    let caller =
      mayBlock ? try access.identify(context) : try access.identifyInMemory(context)
    guard let caller else { throw NotInMemory() }
    let call = Call(method: method, caller: caller, context: context, mayBlock: mayBlock)
    try access.admit(call.caller)
    try call.checkWanted()
    return call
  }

  /// The database of a call's permit, opened or made where it has to be.
  ///
  /// Throws `NotInMemory` if that needs the disk and the call's thread may not block. The call
  /// restarts on an engine thread, so it must have had no effect before.
  func database(of permit: Permit, _ call: Call) throws -> Database {
    if let open = permit.openDatabase { return open }
    guard call.mayBlock else { throw NotInMemory() }
    return try permit.database()
  }

  /// The caller's right to a database.
  func permit(_ call: Call, _ database: DatabaseID) throws(ServiceError) -> Permit {
    try access.permit(
      call.caller,
      database,
      network: call.context.network,
      requestID: call.context.requestID,
      memory: call.context.memory,
      administrator: call.context.actor?.administrator
    )
  }

  private func perform(
    _ method: RPCMethod,
    _ request: [UInt8],
    _ call: Call,
    _ respond: @escaping Respond
  ) throws {
    switch method {
    case .getDocument: try getDocument(.init(decoding: request), call, respond)
    case .listDocuments: try listDocuments(.init(decoding: request), call, respond)
    case .createDocument: try createDocument(request, call, respond)
    case .updateDocument: try updateDocument(.init(decoding: request), call, respond)
    case .deleteDocument: try deleteDocument(.init(decoding: request), call, respond)
    case .beginTransaction: try beginTransaction(.init(decoding: request), call, respond)
    case .commit:
      try WriteLimits.checkSize(request.count)
      try commit(.init(decoding: request), call, respond)
    case .rollback: try rollback(.init(decoding: request), call, respond)
    case .partitionQuery: try partitionQuery(.init(decoding: request), call, respond)
    case .listCollectionIDs: try listCollectionIDs(.init(decoding: request), call, respond)
    case .batchWrite:
      try WriteLimits.checkSize(request.count)
      try batchWrite(.init(decoding: request), call, respond)
    case .batchGetDocuments, .runQuery, .executePipeline, .runAggregationQuery, .write, .listen:
      throw Self.unimplemented(method)
    }
  }

  private func open(
    _ method: RPCMethod,
    _ request: [UInt8],
    _ call: Call,
    _ respond: @escaping RespondStream
  ) throws {
    switch method {
    case .batchGetDocuments: try batchGetDocuments(.init(decoding: request), call, respond)
    case .runQuery: try runQuery(.init(decoding: request), call, respond)
    case .runAggregationQuery: try runAggregationQuery(.init(decoding: request), call, respond)
    case .executePipeline: try executePipeline(.init(decoding: request), call, respond)
    case .getDocument, .listDocuments, .createDocument, .updateDocument, .deleteDocument,
      .beginTransaction, .commit, .rollback, .partitionQuery, .listCollectionIDs, .batchWrite,
      .write, .listen:
      throw Self.unimplemented(method)
    }
  }

  /// Restarts a call on an engine thread; responds only if that fails.
  func startOnEngine<Answer>(
    _ context: CallContext,
    _ respond: @escaping @Sendable (Result<Answer, ServiceError>) -> Void,
    _ start: @escaping @Sendable () throws -> Void
  ) {
    let accepted = threads.submit(caller: context.network) { [self] in
      do {
        try start()
      } catch {
        respond(.failure(reported(error, context)))
      }
    }
    if !accepted { respond(.failure(.overloaded)) }
  }

  /// Runs blocking work on the engine threads and answers with what it returns or throws.
  func onEngine<Answer: Sendable>(
    _ call: Call,
    lane: EngineThreads.Lane = .reads,
    _ respond: @escaping @Sendable (Result<Answer, ServiceError>) -> Void,
    _ work: @escaping @Sendable () throws -> Answer
  ) throws {
    let accepted = threads.submit(to: lane, caller: call.context.network) { [self] in
      do {
        try call.checkWanted()
        respond(.success(try work()))
      } catch {
        respond(.failure(reported(error, call.context)))
      }
    }
    guard accepted else { throw ServiceError.overloaded }
  }

  /// The client's error; details that the client does not receive go to the log.
  func reported(_ error: any Error, _ context: CallContext) -> ServiceError {
    let visible = ServiceError.storage(error)
    switch visible.code {
    case .internalError, .unavailable, .unknown:
      log.error(
        "call failed",
        metadata: [
          "request": "\(context.requestID)", "code": "\(visible.code)",
          "cause": "\(visible.cause.map { "\($0)" } ?? visible.message)",
        ]
      )
    default: break
    }
    return visible
  }

  static func unimplemented(_ method: RPCMethod?) -> ServiceError {
    ServiceError(
      .unimplemented,
      "\(method?.rawValue ?? "The method") is not implemented by this server."
    )
  }
}
