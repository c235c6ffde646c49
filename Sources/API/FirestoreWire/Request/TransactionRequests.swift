import DocumentCodec
import FirestoreModel

/// `BeginTransaction`.
package struct BeginTransactionRequest: WireRequest {
  /// The database that the transaction belongs to.
  package let database: DatabaseID
  /// Read-write unless the client says otherwise.
  package let options: TransactionOptions

  /// Reads the message; INVALID_ARGUMENT for a malformed database name or options set twice.
  package init(from reader: inout ProtobufReader) throws {
    let standard = TransactionOptions.readWrite(retry: nil, concurrency: nil)
    var database = ""
    var options: TransactionOptions?
    while let field = try reader.nextField() {
      switch field {
      case 1: database = try reader.string()
      case 2:
        let decoded = try reader.submessage {
          try TransactionOptions(from: &$0, standard: standard)
        }
        try options.set(decoded, once: "options")
      default: try reader.skip()
      }
    }
    self.database = try DatabaseID(parsing: database)
    self.options = options ?? standard
  }
}

/// `Rollback`: ends a transaction without its writes.
package struct RollbackRequest: WireRequest {
  /// The database that the transaction belongs to.
  package let database: DatabaseID
  /// The transaction's id as the server gave it; empty where the client sent none.
  package let transaction: [UInt8]

  /// Reads the message; the id is not checked here.
  package init(from reader: inout ProtobufReader) throws {
    var database = ""
    var transaction: [UInt8] = []
    while let field = try reader.nextField() {
      switch field {
      case 1: database = try reader.string()
      case 2: transaction = try reader.byteArray()
      default: try reader.skip()
      }
    }
    self.database = try DatabaseID(parsing: database)
    self.transaction = transaction
  }
}
