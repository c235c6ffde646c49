/// The reason why a durable cache cannot be used.
package struct CacheError: Error, Sendable {
  /// The kind of error.
  package enum Code: Sendable, Hashable {
    /// Another process, or another store of this one, has the file open.
    case inUse
    /// A newer version of the library wrote the file; it is left alone.
    case newerVersion
    /// Bytes of the file are not what was written.
    case damaged
    /// The file cannot be created, read or written: permissions, a full disk, a folder that is none.
    case unusable
  }

  /// The kind of the problem, by which callers decide what to do with the file.
  package let code: Code
  /// The text for the log.
  package let message: String
  /// The underlying error of SQLite or of the file system; nil without one.
  package let cause: (any Error)?

  init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.cause = cause
  }

  static func damaged(_ what: String) -> CacheError {
    CacheError(.damaged, "The local cache is damaged: \(what) can't be read.")
  }
}
