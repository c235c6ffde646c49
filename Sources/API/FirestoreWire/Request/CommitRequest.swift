import DocumentCodec
import FirestoreModel

/// `Commit`: writes that happen together, or a transaction's end.
package struct CommitRequest: WireRequest {
  /// The database that all writes go to.
  package let database: DatabaseID
  /// In the order in which they apply; all of them in the database.
  package let writes: [Write]
  /// The transaction that this ends; nil is none.
  package let transaction: [UInt8]?

  /// A commit of writes that are known to lie in the database, in no transaction.
  package init(database: DatabaseID, writes: [Write]) {
    self.database = database
    self.writes = writes
    transaction = nil
  }

  /// Reads the message; INVALID_ARGUMENT for a malformed write or one of another database.
  package init(from reader: inout ProtobufReader) throws {
    var database = ""
    var writes: [Write] = []
    var transaction: [UInt8] = []
    while let field = try reader.nextField() {
      switch field {
      case 1: database = try reader.string()
      case 2: writes.append(try reader.submessage(WriteMessage.read))
      case 3: transaction = try reader.byteArray()
      default: try reader.skip()
      }
    }
    self.database = try DatabaseID(parsing: database)
    for write in writes { try check(write.name, isIn: self.database) }
    self.writes = writes
    self.transaction = transaction.isEmpty ? nil : transaction
  }
}

/// `BatchWrite`: writes that happen each for itself, in no order.
package struct BatchWriteRequest: WireRequest {
  /// The database that all writes go to.
  package let database: DatabaseID
  /// All of them in the database.
  package let writes: [Write]

  /// Reads the message; INVALID_ARGUMENT for a malformed write or one of another database.
  package init(from reader: inout ProtobufReader) throws {
    var database = ""
    var writes: [Write] = []
    while let field = try reader.nextField() {
      switch field {
      case 1: database = try reader.string()
      case 2: writes.append(try reader.submessage(WriteMessage.read))
      default: try reader.skip()
      }
    }
    self.database = try DatabaseID(parsing: database)
    for write in writes { try check(write.name, isIn: self.database) }
    self.writes = writes
  }
}
