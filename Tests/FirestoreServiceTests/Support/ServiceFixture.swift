import DocumentStore
import FirestoreModel
import FirestoreWire
import KeyValueStore
import Logging

@testable import FirestoreService

/// A service on a store in memory, spoken to as REST speaks to it.
final class ServiceFixture: Sendable {
  let databases: Databases
  let service: FirestoreService
  private let threads = EngineThreads(count: 2)

  static let root = "/v1/projects/p/databases/(default)/documents"

  init(_ mode: AccessControl.Mode = .development) throws {
    var configuration = StoreConfiguration()
    configuration.autoCreateDatabases = true
    configuration.requireIndexes = false
    databases = try Databases(engine: MemoryEngine(), configuration: configuration)
    let rules = try RulesetStore(databases.rulesets, log: Logger(label: "test"))
    service = FirestoreService(
      databases: databases,
      rules: rules,
      access: AccessControl(mode: mode, rules: rules, log: Logger(label: "test")),
      threads: threads,
      log: Logger(label: "test")
    )
  }

  func close() {
    threads.stop()
    databases.close()
  }

  static func context(
    authorization: String? = nil,
    isSecure: Bool = true,
    isLocal: Bool = false,
    deadline: ContinuousClock.Instant? = nil,
    cancellation: Cancellation = Cancellation()
  ) -> CallContext {
    CallContext(
      requestID: "test",
      authorization: authorization,
      isSecure: isSecure,
      isLocal: isLocal,
      deadline: deadline,
      cancellation: cancellation
    )
  }

  /// The answer's JSON; a streaming method's messages one after the other.
  func call(
    _ method: String,
    _ path: String,
    _ body: String = "",
    context: CallContext = ServiceFixture.context()
  ) async throws -> [String] {
    let parts = path.split(separator: "?", maxSplits: 1)
    let call = try RESTTranscoder().call(
      method: method,
      path: Self.root + parts[0],
      query: parts.count > 1 ? String(parts[1]) : nil,
      body: Array(body.utf8)
    )
    guard let call else { throw FirestoreError(.notFound, "no route \(path)") }
    let messages =
      call.method.shape == .unary
      ? [try await unary(call.method, call.request, context)]
      : try await messages(call.method, call.request, context)
    return try messages.map {
      String(decoding: try RESTTranscoder().json(of: call.method, response: $0), as: UTF8.self)
    }
  }

  func unary(
    _ method: RPCMethod,
    _ request: [UInt8],
    _ context: CallContext
  ) async throws -> [UInt8] {
    try await withCheckedThrowingContinuation { continuation in
      service.unary(method, request: request, context: context) { continuation.resume(with: $0) }
    }
  }

  func messages(
    _ method: RPCMethod,
    _ request: [UInt8],
    _ context: CallContext,
    maxBytes: Int = 1 << 16
  ) async throws -> [[UInt8]] {
    let stream = try await withCheckedThrowingContinuation { continuation in
      service.stream(method, request: request, context: context) { continuation.resume(with: $0) }
    }
    var all: [[UInt8]] = []
    while true {
      let part = try await withCheckedThrowingContinuation { continuation in
        stream.next(maxBytes: maxBytes) { continuation.resume(with: $0) }
      }
      if part.isEmpty { return all }
      all += part
    }
  }

  func administer(
    _ method: String,
    _ path: String,
    _ body: String = "",
    context: CallContext = ServiceFixture.context()
  ) async throws -> String? {
    let request = AdminRequest(method: method, path: path, query: nil, body: Array(body.utf8))
    let answer = try await withCheckedThrowingContinuation { continuation in
      service.administer(request, context: context) { continuation.resume(with: $0) }
    }
    return answer.map { String(decoding: $0, as: UTF8.self) }
  }
}
