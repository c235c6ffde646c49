/// A failure of a backup or a restore.
package struct BackupError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of failure, by which callers decide.
  package enum Code: Sendable, Equatable {
    /// The target cannot be reached or takes no writes now; another try may go well.
    case unavailable
    /// The target is another server's, or of another form, or another process ships to it.
    case refused
    /// The key does not open the backup.
    case wrongKey
    /// An object of the target differs from the written one, or is missing.
    case damaged
    /// There is no backup, or none of the instant.
    case notFound
  }

  /// The kind of failure.
  package let code: Code
  /// One or two sentences for an operator.
  package let message: String
  /// The segment that is damaged or missing, where it is one.
  package var segment: Int?

  /// A failure with its sentences.
  package init(_ code: Code, _ message: String, segment: Int? = nil) {
    self.code = code
    self.message = message
    self.segment = segment
  }

  /// The message.
  package var description: String { message }
}
