import DocumentCodec
import FirestoreModel
import FirestoreSync

/// The bytes of a target and of a named query.
///
/// A target: 1 its kind: 1 document, 2 query, 3 bundle; 2 the document's path; 3 the query (`QueryCodec`); 4 the bundle's
/// id; 5 purpose; 6 snapshot version; 7 last version without documents in limbo; 8 resume token; 9 expected count.
///
/// A named query: 3 the query; 10 whether the limit counts from the end; 11 read time.
enum TargetCodec {
  static func encode(_ data: TargetData) -> [UInt8] {
    var writer = ProtobufWriter()
    switch data.target.kind {
    case .document(let path):
      writer.int64(1, 1)
      writer.path(2, path)
    case .query(let query, _):
      writer.int64(1, 2)
      writer.message(3) { QueryCodec.encode(query, &$0) }
    case .bundle(let id):
      writer.int64(1, 3)
      writer.string(4, id)
    }
    writer.int64(5, Int64(data.purpose.rawValue))
    writer.version(6, data.snapshotVersion)
    writer.version(7, data.lastLimboFreeVersion)
    writer.content(8, data.resumeToken)
    if let count = data.expectedCount { writer.int64(9, Int64(count)) }
    return writer.bytes
  }

  static func decode(
    _ bytes: UnsafeRawBufferPointer,
    id: TargetID,
    sequenceNumber: Int64
  ) throws -> TargetData {
    let target = try target(bytes)
    var data = TargetData(target: target, id: id, sequenceNumber: sequenceNumber)
    try forEachField(bytes) { field, reader in
      switch field {
      case 5: data.purpose = TargetData.Purpose(rawValue: try reader.integer()) ?? .listen
      case 6: data.snapshotVersion = try reader.version()
      case 7: data.lastLimboFreeVersion = try reader.version()
      case 8: data.resumeToken = try reader.byteArray()
      case 9: data.expectedCount = try reader.integer()
      default: return false
      }
      return true
    }
    return data
  }

  private static func target(_ bytes: UnsafeRawBufferPointer) throws -> Target {
    var kind: Target.Kind?
    try forEachField(bytes) { field, reader in
      switch field {
      case 2: kind = .document(try reader.path())
      case 3:
        let query = try QueryCodec.decode(try reader.content())
        kind = .query(query, try query.normalized())
      case 4: kind = .bundle(try reader.string())
      default: return false
      }
      return true
    }
    guard let kind else { throw CacheError.damaged("a target") }
    return Target(kind)
  }

  /// Bytes that equal targets share and others do not.
  static func identity(of target: Target) -> [UInt8] {
    var writer = ProtobufWriter()
    switch target.kind {
    case .document(let path): writer.path(2, path)
    case .query(_, let query): writer.message(3) { QueryCodec.encodeIdentity(query, &$0) }
    case .bundle(let id): writer.string(4, id)
    }
    return writer.bytes
  }

  static func encode(_ named: NamedQuery) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.message(3) { QueryCodec.encode(named.query, &$0) }
    writer.bool(10, named.limitType == .last)
    writer.version(11, named.readTime)
    return writer.bytes
  }

  static func decode(_ bytes: UnsafeRawBufferPointer, name: String) throws -> NamedQuery {
    var query: Query?
    var isLast = false
    var readTime = CommitVersion.zero
    try forEachField(bytes) { field, reader in
      switch field {
      case 3: query = try QueryCodec.decode(try reader.content())
      case 10: isLast = try reader.bool()
      case 11: readTime = try reader.version()
      default: return false
      }
      return true
    }
    guard let query else { throw CacheError.damaged("the query named \(name)") }
    let limitType: ListenQuery.LimitType = isLast ? .last : .first
    return NamedQuery(name: name, query: query, limitType: limitType, readTime: readTime)
  }
}
