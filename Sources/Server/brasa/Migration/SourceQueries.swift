import BaseStatus
import DocumentCodec
import FirestoreModel
import Foundation

/// The messages of Firestore's API that a migration sends and reads.
enum SourceQueries {
  /// All documents of a database in the order of names, from a name on and up to another one.
  static func documents(
    of database: DatabaseID,
    after: String?,
    includesAfter: Bool,
    end: String?,
    readTime: Int64?,
    limit: Int? = nil
  ) -> [UInt8] {
    var request = ProtobufWriter(capacity: 512)
    request.string(1, database.path + "/documents")
    request.message(2) { query in
      query.message(2) { $0.bool(3, true) }
      query.message(4) { order in
        order.message(1) { $0.string(2, "__name__") }
        order.varint(2, 1)
      }
      if let limit { query.message(5) { $0.int64(1, Int64(limit)) } }
      if let after { query.message(7) { write(&$0, cursor: after, isBefore: includesAfter) } }
      if let end { query.message(8) { write(&$0, cursor: end, isBefore: true) } }
    }
    if let readTime { time(&request, 7, readTime) }
    return request.bytes
  }

  private static func write(_ writer: inout ProtobufWriter, cursor name: String, isBefore: Bool) {
    writer.message(1) { $0.string(5, name) }
    if isBefore { writer.bool(2, true) }
  }

  private static func time(_ writer: inout ProtobufWriter, _ field: Int, _ microseconds: Int64) {
    writer.message(field) { time in
      time.int64(1, microseconds / 1_000_000)
      if microseconds % 1_000_000 != 0 { time.int64(2, microseconds % 1_000_000 * 1_000) }
    }
  }

  /// Places at which a collection group's documents fall into equal parts.
  static func partition(of database: DatabaseID, _ group: String, count: Int) -> [UInt8] {
    var request = ProtobufWriter(capacity: 256)
    request.string(1, database.path + "/documents")
    request.message(2) { query in
      query.message(2) { from in
        from.string(2, group)
        from.bool(3, true)
      }
      query.message(4) { order in
        order.message(1) { $0.string(2, "__name__") }
        order.varint(2, 1)
      }
    }
    request.int64(3, Int64(count))
    return request.bytes
  }

  /// The ids of the collections at the root.
  static func rootCollections(of database: DatabaseID, token: String) -> [UInt8] {
    var request = ProtobufWriter(capacity: 128)
    request.string(1, database.path + "/documents")
    request.varint(2, 300)
    if !token.isEmpty { request.string(3, token) }
    return request.bytes
  }

  /// A listener to all collections of an id.
  static func listen(
    to group: String,
    of database: DatabaseID,
    token: [UInt8],
    since: Int64?
  ) -> [UInt8] {
    var request = ProtobufWriter(capacity: 256)
    request.string(1, database.path)
    request.message(2) { target in
      target.message(2) { query in
        query.string(1, database.path + "/documents")
        query.message(2) { structured in
          structured.message(2) { from in
            from.string(2, group)
            from.bool(3, true)
          }
        }
      }
      if !token.isEmpty {
        target.content(4, token)
      } else if let since {
        time(&target, 11, since)
      }
      target.varint(5, 1)
    }
    return request.bytes
  }

  /// The microseconds of a `Timestamp` message.
  static func time(_ bytes: UnsafeRawBufferPointer) throws -> Int64 {
    var reader = ProtobufReader(bytes)
    var (seconds, nanos) = (Int64(0), Int64(0))
    while let field = try reader.nextField() {
      switch field {
      case 1: seconds = try reader.int64()
      case 2: nanos = try reader.int64()
      default: try reader.skip()
      }
    }
    return seconds * 1_000_000 + nanos / 1_000
  }

  /// A response of `RunQuery`.
  struct Result {
    var change: DocumentChange?
    var readTime: Int64?

    init(_ message: [UInt8]) throws {
      try message.withUnsafeBytes { bytes in
        var reader = ProtobufReader(bytes)
        while let field = try reader.nextField() {
          switch field {
          case 1: change = try DocumentChange(try reader.content())
          case 3: readTime = try SourceQueries.time(try reader.content())
          default: try reader.skip()
          }
        }
      }
    }
  }

  /// The names in the cursors of a response of `PartitionQuery`.
  static func cursors(_ message: [UInt8]) throws -> [String] {
    var names: [String] = []
    try message.withUnsafeBytes { bytes in
      var reader = ProtobufReader(bytes)
      while let field = try reader.nextField() {
        guard field == 1 else {
          try reader.skip()
          continue
        }
        var cursor = ProtobufReader(try reader.content())
        while let field = try cursor.nextField() {
          guard field == 1 else {
            try cursor.skip()
            continue
          }
          var value = ProtobufReader(try cursor.content())
          while let field = try value.nextField() {
            if field == 5 { names.append(try value.string()) } else { try value.skip() }
          }
        }
      }
    }
    return names
  }

  /// The ids and the next page's token of a response of `ListCollectionIds`.
  static func collections(_ message: [UInt8]) throws -> (ids: [String], token: String) {
    var (ids, token) = ([String](), "")
    try message.withUnsafeBytes { bytes in
      var reader = ProtobufReader(bytes)
      while let field = try reader.nextField() {
        switch field {
        case 1: ids.append(try reader.string())
        case 2: token = try reader.string()
        default: try reader.skip()
        }
      }
    }
    return (ids, token)
  }
}
