/// The reason why something was not sent.
package struct OutboundError: Error, CustomStringConvertible {
  /// The kinds of failure.
  package enum Code: Sendable {
    /// The address, host or header is not one that may be used.
    case refused
    /// The other side did not answer in time, or not at all.
    case unreachable
    /// The other side said no, or broke its protocol.
    case rejected
    /// More waits than may wait.
    case overloaded
  }

  /// The kind of failure, by which callers decide.
  package let code: Code
  /// A description of the error, without secrets.
  package let message: String
  /// The error behind this one, for the log; nil without one.
  package let cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  /// The message with its cause, for the log.
  package var description: String { cause.map { "\(message): \($0)" } ?? message }
}
