import BaseStatus
import DocumentCodec
import FirestoreModel

/// A message of a `Listen` stream: one target added or removed.
package struct ListenRequest: WireRequest {
  /// The change that the message asks for.
  package enum Change: Sendable, Hashable {
    case add(ListenTarget)
    case remove(Int32)
  }

  /// The database of the stream; a target's names all lie in it.
  package let database: DatabaseID
  /// The target to add, or the id of the one to remove.
  package let change: Change
  /// For logs only.
  package let labels: [String: String]

  /// Reads the message; INVALID_ARGUMENT without a change or for a target in another database.
  package init(from reader: inout ProtobufReader) throws {
    var database = ""
    var change: Change?
    var labels: [String: String] = [:]
    while let field = try reader.nextField() {
      switch field {
      case 1: database = try reader.string()
      case 2:
        let target = try reader.submessage { try ListenTarget(from: &$0) }
        try change.set(.add(target), once: "target_change")
      case 3: try change.set(.remove(try reader.int32()), once: "target_change")
      case 4: try reader.labelEntry(into: &labels)
      default: try reader.skip()
      }
    }
    self.database = try DatabaseID(parsing: database)
    guard let change else {
      throw ServiceError.invalidArgument("The target change is not set or not known.")
    }
    if case .add(let target) = change { try target.check(isIn: self.database) }
    self.change = change
    self.labels = labels
  }

  /// The database and the target id of a message that adds a target which cannot be read otherwise.
  ///
  /// Nil where it is not one; else the fault is the target's and not the stream's.
  package static func refusedTarget(in bytes: [UInt8]) -> (database: DatabaseID, id: Int32)? {
    let found = try? bytes.decodingRequest { reader -> (String, Int32?) in
      var database = ""
      var id: Int32?
      while let field = try reader.nextField() {
        switch field {
        case 1: database = try reader.string()
        case 2: id = try reader.submessage(targetID)
        default: try reader.skip()
        }
      }
      return (database, id)
    }
    guard let found, let id = found.1, let database = try? DatabaseID(parsing: found.0)
    else { return nil }
    return (database, id)
  }

  private static func targetID(_ reader: inout ProtobufReader) throws -> Int32 {
    var id: Int32 = 0
    while let field = try reader.nextField() {
      if field == 5 { id = try reader.int32() } else { try reader.skip() }
    }
    return id
  }
}

/// A set of documents that a client listens to.
package struct ListenTarget: Sendable, Hashable {
  /// The documents of the target.
  package enum Kind: Sendable, Hashable {
    case query(ParentName, Query)
    case documents([DocumentName])
  }

  /// The point at which the client left off.
  package enum Resumption: Sendable, Hashable {
    case token([UInt8])
    case readTime(Timestamp)
  }

  /// The query or the documents to listen to.
  package let kind: Kind
  /// Zero leaves the choice to the server.
  package let targetID: Int32
  /// True if the target ends once it is consistent.
  package let once: Bool
  /// Nil starts from nothing.
  package let resumption: Resumption?
  /// The number of documents that the client holds of the target; nil where it does not say.
  package let expectedCount: Int?

  /// Reads a `Target` to its end.
  init(from reader: inout ProtobufReader) throws {
    var kind: Kind?
    var targetID: Int32 = 0
    var once = false
    var resumption: Resumption?
    var expectedCount: Int64?
    while let field = try reader.nextField() {
      switch field {
      case 2: try kind.set(try reader.submessage(Self.query), once: "target_type")
      case 3: try kind.set(try reader.submessage(Self.documents), once: "target_type")
      case 4: try resumption.set(.token(try reader.byteArray()), once: "resume_type")
      case 5: targetID = try reader.int32()
      case 6: once = try reader.bool()
      case 11: try resumption.set(.readTime(try reader.timestamp()), once: "resume_type")
      case 12: try expectedCount.set(try reader.wrappedInteger(), once: "expected_count")
      case 13: throw PipelineRefusal.error
      default: try reader.skip()
      }
    }
    guard let kind else {
      throw ServiceError.invalidArgument("The type of the target is not set or not known.")
    }
    self.kind = kind
    self.targetID = targetID
    self.once = once
    self.resumption = resumption
    self.expectedCount = expectedCount.map { Int($0) }
  }

  /// Throws where the target lies in another database than the stream.
  func check(isIn database: DatabaseID) throws(ServiceError) {
    switch kind {
    case .documents(let names): for name in names { try FirestoreWire.check(name, isIn: database) }
    case .query(let parent, _):
      guard parent.database == database else {
        throw .invalidArgument(
          "\"\(parent.string)\" is not in the database of the request, \"\(database.path)\"."
        )
      }
    }
  }

  private static func query(_ reader: inout ProtobufReader) throws -> Kind {
    var parent = ""
    var content: UnsafeRawBufferPointer?
    while let field = try reader.nextField() {
      switch field {
      case 1: parent = try reader.string()
      case 2: try content.set(try reader.content(), once: "query_type")
      default: try reader.skip()
      }
    }
    let name = try ParentName(parsing: parent)
    guard let content else {
      throw ServiceError.invalidArgument("only structured queries are supported")
    }
    return .query(name, try QueryMessage.read(content, below: name.path))
  }

  private static func documents(_ reader: inout ProtobufReader) throws -> Kind {
    var names: [DocumentName] = []
    while let field = try reader.nextField() {
      if field == 2 { names.append(try reader.documentName()) } else { try reader.skip() }
    }
    return .documents(names)
  }
}

/// A message of a `Write` stream.
package struct WriteStreamRequest: WireRequest {
  /// Nil where the message leaves it out, as all but the first may.
  package let database: DatabaseID?
  /// Empty in the first message of a new stream.
  package let streamID: String
  /// Writes to apply together, in their order; may be empty.
  package let writes: [Write]
  /// Empty in the first message of a new stream.
  package let streamToken: [UInt8]
  /// May hold an idempotency key; all others say nothing to the server.
  package let labels: [String: String]

  /// Reads the message; INVALID_ARGUMENT for a write in another database than the message names.
  package init(from reader: inout ProtobufReader) throws {
    var database = ""
    var streamID = ""
    var writes: [Write] = []
    var streamToken: [UInt8] = []
    var labels: [String: String] = [:]
    while let field = try reader.nextField() {
      switch field {
      case 1: database = try reader.string()
      case 2: streamID = try reader.string()
      case 3: writes.append(try reader.submessage(WriteMessage.read))
      case 4: streamToken = try reader.byteArray()
      case 5: try reader.labelEntry(into: &labels)
      default: try reader.skip()
      }
    }
    self.database = database.isEmpty ? nil : try DatabaseID(parsing: database)
    if let database = self.database {
      for write in writes { try check(write.name, isIn: database) }
    }
    self.streamID = streamID
    self.writes = writes
    self.streamToken = streamToken
    self.labels = labels
  }
}
