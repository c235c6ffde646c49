import BaseStatus
import DocumentCodec
import FirestoreModel

/// The content of a watch at one time.
struct WatchSnapshot: Sendable {
  /// The kind of change to a document since the last snapshot.
  enum Change: Sendable {
    case added, modified, removed
  }

  /// In the query's order.
  let documents: [DecodedDocument]
  /// The changes by the document's name; empty if nothing has changed.
  let changes: [DocumentName: Change]
  /// The time at which this is the query's result.
  let readTime: CommitVersion
  let isFirst: Bool
}

/// Shows what a watch sees; a table on a terminal, or lines.
protocol WatchView: Sendable {
  /// Shows the query's result as it is now.
  func show(_ snapshot: WatchSnapshot)
  /// Says that the connection is lost, and why; the next snapshot takes it back.
  func showLost(_ reason: String)
  /// Shows the same again, on a terminal of another size.
  func redraw()
  /// Leaves the terminal as it was.
  func close()
}

/// Listens to one query, over connections that may be lost.
///
/// Keeps its documents, and the token for a resume with only the changes since.
struct WatchSession {
  private let query: WatchQuery
  private let view: any WatchView
  private var documents: [DocumentName: DecodedDocument] = [:]
  private var pending: [DocumentName: DecodedDocument?] = [:]
  private var token: [UInt8] = []
  private var isCurrent = false
  private var hasShown = false

  init(query: WatchQuery, view: any WatchView) {
    self.query = query
    self.view = view
  }

  /// Listens until the task is cancelled; throws what the server refuses for good.
  mutating func run(on server: WatchServer) async throws {
    while !Task.isCancelled {
      do {
        pending = [:]
        try await server.listen(query.request(resuming: token), of: query.database) { message in
          try take(message)
        }
        view.showLost("the server ended the stream")
      } catch let error as ServiceError where !Self.isTransient(error.code) {
        throw error
      } catch is CancellationError {
        return
      } catch {
        // A server that never existed is an error to report, not an interruption.
        guard hasShown else { throw error }
        view.showLost((error as? ServiceError)?.message ?? "\(error)")
      }
      try? await Task.sleep(for: .seconds(1))
    }
  }

  private static func isTransient(_ code: StatusCode) -> Bool {
    switch code {
    case .unavailable, .internalError, .unknown, .aborted, .deadlineExceeded, .cancelled,
      .resourceExhausted:
      true
    default: false
    }
  }

  // MARK: Answers

  /// Takes one ListenResponse.
  mutating func take(_ message: [UInt8]) throws {
    try message.withUnsafeBytes { bytes in
      var reader = ProtobufReader(bytes)
      while let field = try reader.nextField() {
        switch field {
        case 2: try takeTargetChange(try reader.content())
        case 3: try takeChange(try reader.content())
        case 4, 6: try takeRemoval(try reader.content())
        case 5: try takeFilter(try reader.content())
        default: try reader.skip()
        }
      }
    }
  }

  private mutating func takeTargetChange(_ bytes: UnsafeRawBufferPointer) throws {
    var reader = ProtobufReader(bytes)
    var kind = 0
    var isForAll = true
    var token: [UInt8] = []
    var cause: ServiceError?
    var readTime = CommitVersion.zero
    while let field = try reader.nextField() {
      switch field {
      case 1: kind = Int(try reader.varint())
      case 2:
        isForAll = false
        try reader.skip()
      case 3: cause = try Self.status(try reader.content())
      case 4: token = try reader.byteArray()
      case 6: readTime = try Self.time(try reader.content())
      default: try reader.skip()
      }
    }
    switch kind {
    case 0 where isForAll && isCurrent: beConsistent(token, readTime)
    case 2: throw cause ?? ServiceError(.internalError, "The server removed the query.")
    case 3: isCurrent = true
    case 4: reset()
    default: break
    }
  }

  /// Drops the held state; all of it is sent again.
  private mutating func reset() {
    isCurrent = false
    pending = documents.mapValues { _ in nil }
  }

  private mutating func takeChange(_ bytes: UnsafeRawBufferPointer) throws {
    var reader = ProtobufReader(bytes)
    var document: DecodedDocument?
    var isHeld = false
    while let field = try reader.nextField() {
      switch field {
      case 1: document = try Self.document(try reader.content())
      case 5:
        isHeld = true
        try reader.skip()
      default: try reader.skip()
      }
    }
    guard let document else { return }
    pending.updateValue(isHeld ? document : nil, forKey: document.name)
  }

  private mutating func takeRemoval(_ bytes: UnsafeRawBufferPointer) throws {
    var reader = ProtobufReader(bytes)
    while let field = try reader.nextField() {
      if field == 1 {
        pending.updateValue(nil, forKey: try DocumentName(parsing: try reader.content()))
      } else {
        try reader.skip()
      }
    }
  }

  /// A different count means that changes were missed: the stream restarts without a token.
  private mutating func takeFilter(_ bytes: UnsafeRawBufferPointer) throws {
    var reader = ProtobufReader(bytes)
    var count = 0
    while let field = try reader.nextField() {
      if field == 2 { count = Int(try reader.int32()) } else { try reader.skip() }
    }
    var held = Set(documents.keys)
    for (name, document) in pending {
      if document == nil { held.remove(name) } else { held.insert(name) }
    }
    guard held.count != count else { return }
    token = []
    documents = [:]
    isCurrent = false
    throw ServiceError(.aborted, "changes were missed; reading everything again")
  }

  private mutating func beConsistent(_ token: [UInt8], _ readTime: CommitVersion) {
    if !token.isEmpty { self.token = token }
    var changes: [DocumentName: WatchSnapshot.Change] = [:]
    for (name, document) in pending {
      let before = documents[name]
      if let document {
        if before == document { continue }
        changes[name] = before == nil ? .added : .modified
      } else if before != nil {
        changes[name] = .removed
      }
      documents[name] = document
    }
    pending = [:]
    view.show(
      WatchSnapshot(
        documents: documents.values.sorted(by: query.precedes),
        changes: changes,
        readTime: readTime,
        isFirst: !hasShown
      )
    )
    hasShown = true
  }

  private static func document(_ bytes: UnsafeRawBufferPointer) throws -> DecodedDocument {
    var reader = ProtobufReader(bytes)
    var name: DocumentName?
    var fields = ProtobufWriter()
    while let field = try reader.nextField() {
      switch field {
      case 1: name = try DocumentName(parsing: try reader.content())
      case 2: fields.content(2, try reader.content())
      default: try reader.skip()
      }
    }
    guard let name else { throw ProtobufError.truncated }
    let checked = try fields.bytes.withUnsafeBytes { try DocumentCodec.validate($0, name: name) }
    return DecodedDocument(name: name, fields: checked.decoded())
  }

  private static func status(_ bytes: UnsafeRawBufferPointer) throws -> ServiceError {
    var reader = ProtobufReader(bytes)
    var (code, text) = (StatusCode.unknown, "")
    while let field = try reader.nextField() {
      switch field {
      case 1: code = StatusCode(rawValue: Int(try reader.int32())) ?? .unknown
      case 2: text = try reader.string()
      default: try reader.skip()
      }
    }
    return ServiceError(code, text)
  }

  private static func time(_ bytes: UnsafeRawBufferPointer) throws -> CommitVersion {
    var reader = ProtobufReader(bytes)
    var (seconds, nanos) = (Int64(0), Int64(0))
    while let field = try reader.nextField() {
      switch field {
      case 1: seconds = try reader.int64()
      case 2: nanos = try reader.int64()
      default: try reader.skip()
      }
    }
    return CommitVersion(microseconds: seconds &* 1_000_000 &+ nanos / 1_000)
  }
}
