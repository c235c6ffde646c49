import BaseJSON

/// A function of a codebase: a name, what calls it, and its code.
///
/// Make functions by ``onRequest(_:options:_:)``, ``onDocumentWritten(_:_:as:database:options:_:)`` and the like, and
/// hand them to a ``FunctionServer``.
public struct Function: Sendable {
  /// The name in URLs, lists and logs.
  public let name: String
  let trigger: JSONValue.Member
  let isEvent: Bool
  let options: FunctionOptions
  let respond: @Sendable (HTTPFunctionRequest) async throws -> HTTPFunctionResponse

  init(
    _ name: String,
    _ trigger: String,
    _ content: [JSONValue.Member] = [],
    isEvent: Bool = false,
    options: FunctionOptions,
    respond: @escaping @Sendable (HTTPFunctionRequest) async throws -> HTTPFunctionResponse
  ) {
    self.name = name
    self.trigger = JSONValue.Member(trigger, .object(content))
    self.isEvent = isEvent
    self.options = options
    self.respond = respond
  }

  /// The function in the manifest that the host reads.
  var endpoint: JSONValue {
    var members: [JSONValue.Member] = [
      .init("entryPoint", .string(name)), .init("platform", .string("gcfv2")),
    ]
    if !options.regions.isEmpty {
      members.append(.init("region", .array(options.regions.map { .string($0) })))
    }
    for (key, number) in [
      ("availableMemoryMb", options.memoryMegabytes), ("timeoutSeconds", options.timeoutSeconds),
      ("minInstances", options.minInstances), ("maxInstances", options.maxInstances),
      ("concurrency", options.concurrency),
    ] {
      if let number { members.append(.init(key, .number("\(number)"))) }
    }
    if !options.secrets.isEmpty {
      let secrets = options.secrets.map { JSONValue.object([.init("key", .string($0))]) }
      members.append(.init("secretEnvironmentVariables", .array(secrets)))
    }
    members.append(trigger)
    return .object(members)
  }
}

/// The settings of a function; omitted members have the host's defaults.
public struct FunctionOptions: Sendable {
  /// The regions in the function's URLs.
  public var regions: [String] = []
  /// The memory that an instance may take.
  public var memoryMegabytes: Int?
  /// Seconds that a call may take.
  public var timeoutSeconds: Int?
  /// The number of instances that are kept running.
  public var minInstances: Int?
  /// The largest number of instances.
  public var maxInstances: Int?
  /// The number of calls that an instance takes at once.
  public var concurrency: Int?
  /// The secrets that the function reads, which the host puts into its environment.
  public var secrets: [String] = []
  /// True where events whose function failed are delivered again.
  public var retries = false

  /// The host's defaults.
  public init() {}
}

/// The error of a function, as clients of callable functions receive it.
public struct FunctionError: Error, Sendable {
  /// The kinds of errors.
  public enum Code: String, Sendable, CaseIterable {
    case cancelled = "CANCELLED"
    case unknown = "UNKNOWN"
    case invalidArgument = "INVALID_ARGUMENT"
    case deadlineExceeded = "DEADLINE_EXCEEDED"
    case notFound = "NOT_FOUND"
    case alreadyExists = "ALREADY_EXISTS"
    case permissionDenied = "PERMISSION_DENIED"
    case unauthenticated = "UNAUTHENTICATED"
    case resourceExhausted = "RESOURCE_EXHAUSTED"
    case failedPrecondition = "FAILED_PRECONDITION"
    case aborted = "ABORTED"
    case outOfRange = "OUT_OF_RANGE"
    case unimplemented = "UNIMPLEMENTED"
    case internalError = "INTERNAL"
    case unavailable = "UNAVAILABLE"
    case dataLoss = "DATA_LOSS"

    /// The HTTP status of the response.
    var status: Int {
      switch self {
      case .cancelled: 499
      case .invalidArgument, .failedPrecondition, .outOfRange: 400
      case .deadlineExceeded: 504
      case .notFound: 404
      case .alreadyExists, .aborted: 409
      case .permissionDenied: 403
      case .unauthenticated: 401
      case .resourceExhausted: 429
      case .unimplemented: 501
      case .unavailable: 503
      case .unknown, .internalError, .dataLoss: 500
      }
    }
  }

  /// The kind of the error.
  public let code: Code
  /// The text for the client.
  public let message: String
  /// More for the client to read.
  public let details: (any Encodable & Sendable)?

  /// An error of that kind.
  public init(_ code: Code, _ message: String, details: (any Encodable & Sendable)? = nil) {
    self.code = code
    self.message = message
    self.details = details
  }
}
