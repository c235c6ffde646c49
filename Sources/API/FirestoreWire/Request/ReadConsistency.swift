import BaseStatus
import DocumentCodec
import FirestoreModel

/// The state of the database that a read sees: the oneof `consistency_selector`.
package enum ReadConsistency: Sendable, Hashable {
  /// Everything acknowledged before the read came.
  case latest
  /// The snapshot of an open transaction; the ID as the client sent it.
  case transaction([UInt8])
  /// The database at that time.
  case readTime(Timestamp)
  /// Begins a transaction; its id is the first thing answered.
  case newTransaction(TransactionOptions)
}

/// The kind of transaction to begin.
package enum TransactionOptions: Sendable, Hashable {
  /// The way in which a read-write transaction keeps others from interfering; raw values are the
  /// protocol's.
  package enum ConcurrencyMode: Int32, Sendable, Hashable {
    case optimistic = 1
    case pessimistic = 2
  }

  /// At that time, or at the first read's.
  case readOnly(readTime: Timestamp?)
  /// `retry` names the aborted attempt that this one repeats; no mode is the database's default.
  case readWrite(retry: [UInt8]?, concurrency: ConcurrencyMode?)

  /// Reads a `TransactionOptions`; without a mode it is `standard`.
  init(from reader: inout ProtobufReader, standard: TransactionOptions) throws {
    var options: TransactionOptions?
    while let field = try reader.nextField() {
      switch field {
      case 2: try options.set(try reader.submessage(Self.readOnly), once: "mode")
      case 3: try options.set(try reader.submessage(Self.readWrite), once: "mode")
      default: try reader.skip()
      }
    }
    self = options ?? standard
  }

  private static func readOnly(_ reader: inout ProtobufReader) throws -> TransactionOptions {
    var time: Timestamp?
    while let field = try reader.nextField() {
      switch field {
      case 2: try time.set(try reader.timestamp(), once: "consistency_selector")
      default: try reader.skip()
      }
    }
    return .readOnly(readTime: time)
  }

  private static func readWrite(_ reader: inout ProtobufReader) throws -> TransactionOptions {
    var retry: [UInt8] = []
    var mode: Int32 = 0
    while let field = try reader.nextField() {
      switch field {
      case 1: retry = try reader.byteArray()
      case 2: mode = try reader.int32()
      default: try reader.skip()
      }
    }
    let concurrency = ConcurrencyMode(rawValue: mode)
    if concurrency == nil, mode != 0 {
      throw ServiceError.invalidArgument("Unknown concurrency mode \(mode).")
    }
    return .readWrite(retry: retry.isEmpty ? nil : retry, concurrency: concurrency)
  }
}

/// The oneof `consistency_selector` of a request, whose members have other numbers in each.
struct ConsistencySelector {
  /// The numbers of its members in one request; 0 where the request has none.
  struct Fields {
    let transaction: Int
    let newTransaction: Int
    let readTime: Int
  }

  private let fields: Fields
  private var selected: ReadConsistency?

  /// Nothing selected yet.
  init(transaction: Int, newTransaction: Int = 0, readTime: Int) {
    fields = Fields(transaction: transaction, newTransaction: newTransaction, readTime: readTime)
  }

  /// The consistency that was selected.
  var consistency: ReadConsistency { selected ?? .latest }

  /// Reads a member, or skips a field that is none.
  mutating func read(_ field: Int, from reader: inout ProtobufReader) throws {
    switch field {
    case fields.transaction:
      try select(.transaction(try reader.byteArray()))
    case fields.newTransaction:
      let options = try reader.submessage { reader in
        // Reads that begin a transaction without saying which begin a read-only one.
        try TransactionOptions(from: &reader, standard: .readOnly(readTime: nil))
      }
      try select(.newTransaction(options))
    case fields.readTime:
      try select(.readTime(try reader.timestamp()))
    default: try reader.skip()
    }
  }

  private mutating func select(_ member: ReadConsistency) throws {
    try selected.set(member, once: "consistency_selector")
  }
}
