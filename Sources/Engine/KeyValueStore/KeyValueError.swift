/// An error of an engine.
package struct KeyValueError: Error, Sendable {
  /// The kinds of failure; open, so that engines can add theirs.
  package struct Code: Sendable, Hashable {
    /// A lower-case word with hyphens, stable across versions.
    package let rawValue: String

    /// A code of an engine's own.
    package init(rawValue: String) { self.rawValue = rawValue }

    /// Bytes on disk are not what was written; the message names the file.
    package static let corruption = Code(rawValue: "corruption")
    /// Another process has the directory open.
    package static let locked = Code(rawValue: "locked")
    /// The directory was written by a newer format.
    package static let newerFormat = Code(rawValue: "newer-format")
    /// The directory holds something else.
    package static let foreign = Code(rawValue: "foreign")
    /// An earlier write or fsync failed; nothing more is acknowledged.
    package static let stopped = Code(rawValue: "stopped")
    /// A write began and failed: it may come into force at the next start, or never.
    ///
    /// Nothing outside the store that the write would need may be undone for it.
    package static let outcomeUnknown = Code(rawValue: "outcome-unknown")
    /// The disk has too little room left; nothing was written, and room that returns is enough.
    package static let diskFull = Code(rawValue: "disk-full")
    /// The operating system refused (I/O error, no descriptor).
    package static let inputOutput = Code(rawValue: "io")
    /// The engine was closed.
    package static let closed = Code(rawValue: "closed")
    /// This engine cannot do that.
    package static let unsupported = Code(rawValue: "unsupported")
    /// More is asked of the store than it takes on at once.
    package static let overloaded = Code(rawValue: "overloaded")
    /// The caller broke the protocol's rules.
    package static let misuse = Code(rawValue: "misuse")
  }

  /// The kind of failure, by which callers decide.
  package let code: Code
  /// One sentence for operators and logs; clients receive `textForClients` instead.
  package let message: String
  /// Variables of the failure by name, such as the file or directory concerned.
  package let metadata: [String: String]

  /// An engine's failure, with the file or directory concerned in `metadata`.
  package init(_ code: Code, _ message: String, metadata: [String: String] = [:]) {
    self.code = code
    self.message = message
    self.metadata = metadata
  }

  /// True if a write that failed with this may come into force all the same.
  package var leavesOutcomeUnknown: Bool { code == .outcomeUnknown }

  /// The text for clients: no more than whether another try may repeat what took effect.
  package var textForClients: String {
    leavesOutcomeUnknown
      ? "The service is temporarily unavailable. It is unknown if the write took effect."
      : "The service is temporarily unavailable."
  }

  /// The text for clients of any error with which an engine's call ended.
  package static func textForClients(_ error: any Error) -> String {
    (error as? KeyValueError ?? KeyValueError(.inputOutput, "")).textForClients
  }

  /// Refuses keys that are the engine's own.
  package static func checkKey(_ key: [UInt8]) throws {
    guard let first = key.first, first != 0 else {
      throw KeyValueError(.misuse, "a key is empty or begins with 0x00")
    }
  }

  /// Refuses invalid writes: keys that are the engine's own, and empty values.
  package static func checkWrite(_ key: [UInt8], _ value: [UInt8]) throws {
    try checkKey(key)
    guard !value.isEmpty else { throw KeyValueError(.misuse, "a value is empty") }
  }

  /// The queue of the engine threads has no room for another job of the caller's.
  package static let noThread = KeyValueError(.overloaded, "too many jobs are waiting for a thread")

  /// A rollback or release without a savepoint.
  package static let noSavepoint = KeyValueError(.misuse, "the group has no savepoint")
}
