import BaseStatus
import KeyValueStore

/// The error of a message that is not sent, or a registration that is not made, in Cloud
/// Messaging's words.
package struct MessagingError: Error, Sendable {
  /// The codes of `google.firebase.fcm.v1.FcmError`.
  package enum Code: String, Sendable, CaseIterable {
    case invalidArgument = "INVALID_ARGUMENT"
    case unregistered = "UNREGISTERED"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case unavailable = "UNAVAILABLE"
    case `internal` = "INTERNAL"
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
  }

  /// The fault of an argument, as the legacy form names it.
  package enum Kind: String, Sendable {
    case other = "InvalidParameters"
    case missingRecipient = "MissingRegistration"
    case token = "InvalidRegistration"
    case tooBig = "MessageTooBig"
    case dataKey = "InvalidDataKey"
    case timeToLive = "InvalidTtl"
    case packageName = "InvalidPackageName"
  }

  /// The code that clients receive, from which the HTTP status follows.
  package let code: Code
  /// A text for clients, in Google's words where SDKs compare them.
  package let message: String
  /// The legacy API's name for a wrong argument; `other` for all other errors.
  package var kind = Kind.other
  /// The wrong fields of a request.
  package var violations: [ServiceError.FieldViolation] = []
  /// For the log.
  package var cause: (any Error)?

  /// An error of that code.
  package init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// An argument that is wrong.
  package static func invalid(
    _ field: String,
    _ message: String,
    _ kind: Kind = .other
  ) -> MessagingError {
    var error = MessagingError(.invalidArgument, message)
    error.kind = kind
    error.violations = [.init(field: field, description: message)]
    return error
  }

  /// The token is unknown, or its registration is gone.
  package static let unregistered = MessagingError(.unregistered, "Requested entity was not found.")

  /// The token is one of an app that gets its messages by another way than a stream.
  package static let notDirect = MessagingError.invalid(
    "token",
    "The registration does not belong to a client with a direct connection."
  )

  /// Returns the error for clients when the engine fails.
  static func engine(_ error: any Error) -> any Error {
    if error is MessagingError || error is ServiceError { return error }
    if let known = error as? KeyValueError, known.code == .corruption {
      return MessagingError(.internal, "Stored data is damaged.", cause: known)
    }
    return MessagingError(
      .unavailable,
      KeyValueError.textForClients(error) + " Try again later.",
      cause: error
    )
  }
}
