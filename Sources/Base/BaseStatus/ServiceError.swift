/// The failure of a request as its client learns of it: Google's code and Google's text.
///
/// The cause is for the log and never leaves the server.
package struct ServiceError: Error, Sendable {
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

  /// One wrong field of a request, reported as `google.rpc.BadRequest`.
  package struct FieldViolation: Sendable, Hashable {
    /// The way to the field in the message; empty is the message itself.
    package let field: String
    /// The violation in words for the client.
    package let description: String

    /// A violation of a rule by that field, with its description.
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
  package static func invalidArgument(_ message: String) -> ServiceError {
    ServiceError(.invalidArgument, message)
  }
}
