import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel

/// `RunAggregationQuery`.
package struct RunAggregationQueryRequest: WireRequest {
  /// The root or the document that the query's collections lie below.
  package let parent: ParentName
  /// Its parent is `parent.path`.
  package let query: Query
  /// One to five, aliases distinct; those without one are called `field_1`, `field_2`, ...
  package let aggregations: [Aggregation]
  /// The version to read at, or the transaction to read in or to begin.
  package let consistency: ReadConsistency
  /// Nil is no explanation.
  package let explain: ExplainMode?

  /// Reads the message; INVALID_ARGUMENT without a structured query or a valid list of aggregations.
  package init(from reader: inout ProtobufReader) throws {
    var parent = ""
    var content: UnsafeRawBufferPointer?
    var explain: ExplainMode?
    var selector = ConsistencySelector(transaction: 4, newTransaction: 5, readTime: 6)
    while let field = try reader.nextField() {
      switch field {
      case 1: parent = try reader.string()
      case 2: try content.set(try reader.content(), once: "query_type")
      case 8:
        try explain.set(try reader.submessage(ExplainMode.read), once: "explain_options")
      default: try selector.read(field, from: &reader)
      }
    }
    self.parent = try ParentName(parsing: parent)
    guard let content else { throw Self.missingQuery }
    (query, aggregations) = try Self.structured(content, below: self.parent.path)
    self.explain = explain
    consistency = selector.consistency
  }

  private static var missingQuery: ServiceError {
    .invalidArgument("Only structured aggregation queries are supported.")
  }

  private static func structured(
    _ content: UnsafeRawBufferPointer,
    below parent: ResourcePath
  ) throws -> (Query, [Aggregation]) {
    var query: Query?
    var messages: [AggregationMessage] = []
    var reader = ProtobufReader(content)
    while let field = try reader.nextField() {
      switch field {
      case 1:
        try query.set(
          try QueryMessage.read(try reader.content(), below: parent),
          once: "query_type"
        )
      case 3: messages.append(try reader.submessage { try AggregationMessage(from: &$0) })
      default: try reader.skip()
      }
    }
    guard let query else { throw missingQuery }
    return (query, try AggregationMessage.named(messages))
  }
}

/// `google.firestore.v1.StructuredAggregationQuery.Aggregation`, its name perhaps not yet chosen.
private struct AggregationMessage {
  private let alias: Text
  private let `operator`: Aggregation.Operator

  /// Reads an aggregation to its end.
  init(from reader: inout ProtobufReader) throws {
    var alias = Text("")
    var found: Aggregation.Operator?
    while let field = try reader.nextField() {
      switch field {
      case 1:
        let upTo = try reader.submessage(Self.upTo)
        try found.set(.count(upTo: upTo), once: "operator")
      case 2: try found.set(.sum(try reader.submessage(Self.operand)), once: "operator")
      case 3: try found.set(.average(try reader.submessage(Self.operand)), once: "operator")
      case 7: alias = try reader.text()
      default: try reader.skip()
      }
    }
    guard let found else {
      throw ServiceError.invalidArgument("Operator field in Aggregation is not set.")
    }
    self.alias = alias
    `operator` = found
  }

  /// Gives names to those without, and judges them all.
  static func named(_ messages: [AggregationMessage]) throws(ServiceError) -> [Aggregation] {
    if messages.isEmpty { throw .invalidArgument("Aggregations can not be empty.") }
    if messages.count > Limits.aggregations {
      throw ServiceError(
        .invalidArgument,
        "The maximum number of aggregations allowed in an aggregation query is \(Limits.aggregations). "
          + "Received: \(messages.count)",
        reason: ServiceError.Reason("TOO_MANY_AGGREGATIONS")
      )
    }
    var aliases: Set<Text> = []
    var unnamed = 0
    var aggregations: [Aggregation] = []
    for message in messages {
      if message.alias.isEmpty { unnamed += 1 }
      let alias = message.alias.isEmpty ? Text("field_\(unnamed)") : message.alias
      try check(alias)
      guard aliases.insert(alias).inserted else {
        throw .invalidArgument("Aggregation aliases contain duplicate alias: \(alias.string).")
      }
      aggregations.append(Aggregation(alias: alias, operator: message.operator))
    }
    return aggregations
  }

  private static func check(_ alias: Text) throws(ServiceError) {
    if alias.withBytes(ResourceID.isReserved) {
      throw .invalidArgument("The property.name \"\(alias.string)\" is reserved.")
    }
    if alias.byteCount > Limits.fieldPathSize {
      throw .invalidArgument("The property.name is longer than 1500 bytes.")
    }
  }

  private static func upTo(_ reader: inout ProtobufReader) throws -> Int64? {
    var upTo: Int64?
    while let field = try reader.nextField() {
      if field == 1 {
        try upTo.set(try reader.wrappedInteger(), once: "up_to")
      } else {
        try reader.skip()
      }
    }
    if let upTo, upTo < 0 {
      throw ServiceError.invalidArgument(
        "The `up_to` value in a COUNT aggregation must be greater than or equal to zero."
      )
    }
    return upTo
  }

  private static func operand(_ reader: inout ProtobufReader) throws -> FieldPath {
    var path: FieldPath?
    while let field = try reader.nextField() {
      if field == 1 {
        try path.set(try reader.fieldReference(), once: "field")
      } else {
        try reader.skip()
      }
    }
    return try path ?? FieldPath(parsing: "")
  }
}
