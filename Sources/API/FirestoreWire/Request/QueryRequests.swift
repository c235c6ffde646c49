import BaseStatus
import DocumentCodec
import FirestoreModel

/// The parts of an explained query's response, `ExplainOptions`: the plan, and the results if the
/// query is run.
package enum ExplainMode: Sendable, Hashable {
  /// Only the plan.
  case plan
  /// The results, then the plan and what it took.
  case analyze

  /// Reads an `ExplainOptions` to its end.
  static func read(_ reader: inout ProtobufReader) throws -> ExplainMode {
    var analyze = false
    while let field = try reader.nextField() {
      if field == 1 { analyze = try reader.bool() } else { try reader.skip() }
    }
    return analyze ? .analyze : .plan
  }
}

/// `RunQuery`.
package struct RunQueryRequest: WireRequest {
  /// The root or the document that the query's collections lie below.
  package let parent: ParentName
  /// Its parent is `parent.path`.
  package let query: Query
  /// The version to read at, or the transaction to read in or to begin.
  package let consistency: ReadConsistency
  /// Nil is no explanation.
  package let explain: ExplainMode?

  /// Reads the message; INVALID_ARGUMENT without a structured query.
  package init(from reader: inout ProtobufReader) throws {
    var parent = ""
    var query: UnsafeRawBufferPointer?
    var explain: ExplainMode?
    var selector = ConsistencySelector(transaction: 5, newTransaction: 6, readTime: 7)
    while let field = try reader.nextField() {
      switch field {
      case 1: parent = try reader.string()
      case 2: try query.set(try reader.content(), once: "query_type")
      case 10:
        try explain.set(try reader.submessage(ExplainMode.read), once: "explain_options")
      default: try selector.read(field, from: &reader)
      }
    }
    self.parent = try ParentName(parsing: parent)
    guard let query else {
      throw ServiceError.invalidArgument("only structured queries are supported")
    }
    self.query = try QueryMessage.read(query, below: self.parent.path)
    self.explain = explain
    consistency = selector.consistency
  }
}

/// `PartitionQuery`: where to cut a collection group's query into parts.
package struct PartitionQueryRequest: WireRequest {
  /// The root or the document that the query's collections lie below.
  package let parent: ParentName
  /// The query to divide; its parent is `parent.path`.
  package let query: Query
  /// The largest number of cursors; positive.
  package let partitionCount: Int64
  /// Empty asks for the first page.
  package let pageToken: String
  /// Zero leaves it to the server.
  package let pageSize: Int
  /// Nil is now.
  package let readTime: Timestamp?

  /// Reads the message; INVALID_ARGUMENT without a structured query or with a count below one.
  package init(from reader: inout ProtobufReader) throws {
    var parent = ""
    var query: UnsafeRawBufferPointer?
    var count: Int64 = 0
    var token = ""
    var size: Int32 = 0
    var readTime: Timestamp?
    while let field = try reader.nextField() {
      switch field {
      case 1: parent = try reader.string()
      case 2: try query.set(try reader.content(), once: "query_type")
      case 3: count = try reader.int64()
      case 4: token = try reader.string()
      case 5: size = try reader.int32()
      case 6: try readTime.set(try reader.timestamp(), once: "consistency_selector")
      default: try reader.skip()
      }
    }
    self.parent = try ParentName(parsing: parent)
    guard let query else { throw ServiceError.invalidArgument("Query is required.") }
    guard count > 0 else {
      throw ServiceError.invalidArgument("The partition count must be positive.")
    }
    self.query = try QueryMessage.read(query, below: self.parent.path)
    partitionCount = count
    pageToken = token
    pageSize = try checkedPageSize(size)
    self.readTime = readTime
  }
}

/// A page size as a number; zero leaves it to the server.
func checkedPageSize(_ size: Int32) throws(ServiceError) -> Int {
  guard size >= 0 else { throw .invalidArgument("The page size must not be negative.") }
  return Int(size)
}
