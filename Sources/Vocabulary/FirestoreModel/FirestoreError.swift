/// The canonical status codes, by their gRPC numbers.
package enum StatusCode: Int, Sendable, CaseIterable {
  case ok = 0
  case cancelled = 1
  case unknown = 2
  case invalidArgument = 3
  case deadlineExceeded = 4
  case notFound = 5
  case alreadyExists = 6
  case permissionDenied = 7
  case resourceExhausted = 8
  case failedPrecondition = 9
  case aborted = 10
  case outOfRange = 11
  case unimplemented = 12
  case internalError = 13
  case unavailable = 14
  case dataLoss = 15
  case unauthenticated = 16

  /// The code's canonical name, as in `NOT_FOUND`.
  package var name: String {
    switch self {
    case .ok: "OK"
    case .cancelled: "CANCELLED"
    case .unknown: "UNKNOWN"
    case .invalidArgument: "INVALID_ARGUMENT"
    case .deadlineExceeded: "DEADLINE_EXCEEDED"
    case .notFound: "NOT_FOUND"
    case .alreadyExists: "ALREADY_EXISTS"
    case .permissionDenied: "PERMISSION_DENIED"
    case .resourceExhausted: "RESOURCE_EXHAUSTED"
    case .failedPrecondition: "FAILED_PRECONDITION"
    case .aborted: "ABORTED"
    case .outOfRange: "OUT_OF_RANGE"
    case .unimplemented: "UNIMPLEMENTED"
    case .internalError: "INTERNAL"
    case .unavailable: "UNAVAILABLE"
    case .dataLoss: "DATA_LOSS"
    case .unauthenticated: "UNAUTHENTICATED"
    }
  }
}

/// What a client is told when a request fails: Firestore's code and Firestore's text.
///
/// The cause is for the log and never leaves the server.
package struct FirestoreError: Error, Sendable {
  /// A machine-readable `google.rpc.ErrorInfo` and, with `helpURL`, a `google.rpc.Help`.
  package struct Reason: Sendable, Hashable {
    /// A constant in upper snake case, such as `COSINE_DISTANCE_ON_ZERO_VECTOR`; unique in its domain.
    package let reason: String
    /// The service that defines the reason, as a host name.
    package let domain: String
    /// The address of a page that explains the error; nil sends no `google.rpc.Help`.
    package let helpURL: String?

    /// A reason in Firestore's domain unless another is named.
    package init(
      _ reason: String,
      domain: String = "firestore.googleapis.com",
      helpURL: String? = nil
    ) {
      self.reason = reason
      self.domain = domain
      self.helpURL = helpURL
    }
  }

  /// One wrong field of a request, told as `google.rpc.BadRequest`.
  package struct FieldViolation: Sendable, Hashable {
    /// The way to the field in the message; empty is the message itself.
    package let field: String
    /// The violation in words for the client.
    package let description: String

    /// What is wrong with that field.
    package init(field: String, description: String) {
      self.field = field
      self.description = description
    }
  }

  /// The status of the response, over gRPC and REST.
  package let code: StatusCode
  /// The text for the client, Firestore's own where it has one.
  package let message: String
  /// A machine-readable reason; nil sends none.
  package let reason: Reason?
  /// The wrong fields of the request; empty sends no `google.rpc.BadRequest`.
  package let violations: [FieldViolation]
  /// The underlying error, for the log only; nil where the request itself is at fault.
  package let cause: (any Error)?

  /// An error for the client, with what led to it for the log.
  package init(
    _ code: StatusCode,
    _ message: String,
    reason: Reason? = nil,
    violations: [FieldViolation] = [],
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.reason = reason
    self.violations = violations
    self.cause = cause
  }

  /// INVALID_ARGUMENT with that text.
  package static func invalidArgument(_ message: String) -> FirestoreError {
    FirestoreError(.invalidArgument, message)
  }
}
