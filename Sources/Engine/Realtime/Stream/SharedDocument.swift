import FirestoreModel
import Synchronization

/// A document as one version left it, on its way to any number of streams.
package final class SharedDocument: Sendable {
  /// The document's full resource name.
  package let name: DocumentName
  /// Nil if there is no such document, or if its contents are not needed.
  package let record: DocumentRecord?
  let exists: Bool
  /// Rises with what happened later; orders the messages of one batch.
  let ordinal: UInt64
  private let encodings = Mutex(Encodings())

  private struct Encodings {
    var record: [UInt8]?
    /// The last message about the document, and what it says of which targets.
    var change: (targets: [Int32], removed: [Int32], message: [UInt8])?
  }

  /// A document that exists, or does not.
  package convenience init(name: DocumentName, record: DocumentRecord?, ordinal: UInt64 = 0) {
    self.init(name: name, record: record, exists: record != nil, ordinal: ordinal)
  }

  init(name: DocumentName, record: DocumentRecord?, exists: Bool, ordinal: UInt64) {
    self.name = name
    self.record = record
    self.exists = exists
    self.ordinal = ordinal
  }

  /// The document as the protocol has it: made at the first request, shared by all others.
  package func encoded(_ make: () -> [UInt8]) -> [UInt8] {
    encodings.withLock { encodings in
      if let bytes = encodings.record { return bytes }
      let made = make()
      encodings.record = made
      return made
    }
  }

  /// The message that the document is in some targets and no longer in others.
  ///
  /// Clients of one program mostly number their targets alike, so one stream's message serves the
  /// next one too.
  package func encodedChange(
    _ targets: [Int32],
    _ removed: [Int32],
    _ make: () -> [UInt8]
  ) -> [UInt8] {
    let known = encodings.withLock { $0.change }
    if let known, known.targets == targets, known.removed == removed { return known.message }
    let message = make()
    encodings.withLock { $0.change = (targets, removed, message) }
    return message
  }

  /// About how much memory the document takes while it waits.
  var size: Int { 256 + (record?.fields.bytes.count ?? 0) }
}

/// A version at which targets are consistent, and the token with which they resume from there.
package final class ConsistencyPoint: Sendable {
  /// The version up to which the targets have received every change.
  package let version: CommitVersion
  /// Empty where a client must keep none.
  package let token: [UInt8]
  private let encoding = Mutex<[UInt8]?>(nil)

  /// A version of a database, and a token of it.
  package init(version: CommitVersion, token: [UInt8]) {
    self.version = version
    self.token = token
  }

  /// The point for all targets as the protocol has it: made once, shared by all streams.
  package func encoded(_ make: () -> [UInt8]) -> [UInt8] {
    encoding.withLock { bytes in
      if let bytes { return bytes }
      let made = make()
      bytes = made
      return made
    }
  }
}
