import DocumentCodec
import FirestoreModel
import FirestoreWire
import ModelTestSupport
import SwiftProtobuf
import Testing

/// A write made of a fresh message by a body.
private func write(_ body: (inout Google_Firestore_V1_Write) -> Void) -> Google_Firestore_V1_Write {
  var message = Google_Firestore_V1_Write()
  body(&message)
  return message
}

/// A structured query made of a fresh message by a body.
private func query(
  _ body: (inout Google_Firestore_V1_StructuredQuery) -> Void
) -> Google_Firestore_V1_StructuredQuery {
  var message = Google_Firestore_V1_StructuredQuery()
  body(&message)
  return message
}

@Suite("What requests are refused")
struct RequestErrorTests {
  @Test(arguments: [
    ("", #"Document name "" lacks "projects" at index 0."#),
    ("projects/p", #"Document name "projects/p" lacks "/" at index 10."#),
    (
      "\(documentsPath)/c/.",
      #"Document name "\#(documentsPath)/c/." contains a resource id "." at index 43."#
    ),
    ("\(documentsPath)/c/__x__", #"Resource id "__x__" is invalid because it is reserved."#),
  ])
  func `a malformed name`(text: String, message: String) throws {
    var request = Google_Firestore_V1_GetDocumentRequest()
    request.name = text
    let bytes = try request.bytes
    expectError(message) { try GetDocumentRequest(decoding: bytes) }
  }

  private static let writes: [(Google_Firestore_V1_Write, String)] = [
    (write { _ in }, "The operation of a write is not set or not known."),
    (
      write { $0.delete = "projects/q/databases/(default)/documents/c/d" },
      #"Document "projects/q/databases/(default)/documents/c/d" is not in the database of the "#
        + #"request, "projects/p/databases/(default)"."#
    ),
    (
      write {
        $0.delete = "\(documentsPath)/c/d"
        $0.updateMask.fieldPaths = ["a"]
      },
      #"A write's "update_mask" needs its operation to be "update", but it is "delete"."#
    ),
    (
      write {
        $0.update.name = "\(documentsPath)/c/d"
        $0.updateMask.fieldPaths = ["a..b"]
      },
      #"Invalid property path "a..b". Unquoted property paths must match regex "#
        + #"([a-zA-Z_][a-zA-Z_0-9]*), and quoted property paths must match regex "#
        + #"(`(?:[^`\\]|(?:\\.))+`)"#
    ),
    (
      write {
        $0.transform.document = "\(documentsPath)/c/d"
        var transform = Google_Firestore_V1_DocumentTransform.FieldTransform()
        transform.fieldPath = "a"
        transform.increment = Google_Firestore_V1_Value(.string("1"))
        $0.transform.fieldTransforms = [transform]
      },
      "Input must be int64 or double."
    ),
    (
      write {
        $0.transform.document = "\(documentsPath)/c/d"
        var transform = Google_Firestore_V1_DocumentTransform.FieldTransform()
        transform.fieldPath = "a"
        $0.transform.fieldTransforms = [transform]
      },
      #"The transform of field "a" is not set or not known."#
    ),
    (
      write {
        $0.transform.document = "\(documentsPath)/c/d"
        var transform = Google_Firestore_V1_DocumentTransform.FieldTransform()
        transform.fieldPath = "a"
        transform.setToServerValue = .UNRECOGNIZED(7)
        $0.transform.fieldTransforms = [transform]
      },
      "Unknown or unset server value of a transform."
    ),
    (
      write {
        $0.update.name = "\(documentsPath)/c/d"
        $0.update.fields["__x__"] = Google_Firestore_V1_Value(.null)
      },
      "field name __x__ is reserved"
    ),
  ]

  @Test(arguments: writes.indices)
  func `a write`(index: Int) throws {
    let (write, message) = Self.writes[index]
    var request = Google_Firestore_V1_CommitRequest()
    request.database = databasePath
    request.writes = [write]
    let bytes = try request.bytes
    expectError(message) { try CommitRequest(decoding: bytes) }
  }

  @Test func `an operation of a later protocol is not an empty write`() throws {
    var write = ProtobufWriter()
    write.string(99, "later")
    var request = ProtobufWriter()
    request.string(1, databasePath)
    request.content(2, write.bytes)
    expectError("The operation of a write is not set or not known.") {
      try CommitRequest(decoding: request.bytes)
    }
  }

  @Test func `two operations in one write`() throws {
    var write = ProtobufWriter()
    write.string(2, "\(documentsPath)/c/d")
    write.string(5, "\(documentsPath)/c/d")
    var request = ProtobufWriter()
    request.content(2, write.bytes)
    expectError(#""operation" is set more than once."#) {
      try CommitRequest(decoding: request.bytes)
    }
  }

  private static let queries: [(Google_Firestore_V1_StructuredQuery?, String)] = [
    (nil, "only structured queries are supported"),
    (query { $0.offset = -1 }, "offset is negative"),
    (query { $0.limit = Google_Protobuf_Int32Value(-1) }, "limit is negative"),
    (
      query { $0.from = [.init(), .init()] },
      "StructuredQuery.from cannot have more than one collection selector."
    ),
    (
      query {
        var selector = Google_Firestore_V1_StructuredQuery.CollectionSelector()
        selector.collectionID = "a/b"
        $0.from = [selector]
      },
      #"Collection id "a/b" is invalid because it contains "/"."#
    ),
    (query { $0.where.compositeFilter.op = .unspecified }, "Unsupported CompositeFilter operator."),
    (query { $0.where.fieldFilter.op = .UNRECOGNIZED(11) }, "Unknown FieldFilter operator."),
    (query { $0.where.unaryFilter.op = .UNRECOGNIZED(1) }, "Unknown UnaryFilter operator."),
    (query { $0.where = .init() }, "The type of a filter is not set or not known."),
    (
      query {
        var order = Google_Firestore_V1_StructuredQuery.Order()
        order.direction = .UNRECOGNIZED(3)
        order.field.fieldPath = "a"
        $0.orderBy = [order]
      },
      "Unknown direction 3 of an order."
    ),
    (query { $0.orderBy = [.init()] }, "Invalid empty property path string."),
    (
      query {
        $0.findNearest.vectorField.fieldPath = "v"
        $0.findNearest.queryVector = Google_Firestore_V1_Value(.vector([1]))
        $0.findNearest.distanceMeasure = .euclidean
        $0.findNearest.limit = Google_Protobuf_Int32Value(1001)
      },
      "FindNearest limit must be within 1 and 1000."
    ),
  ]

  @Test(arguments: queries.indices)
  func `a query`(index: Int) throws {
    let (query, message) = Self.queries[index]
    var request = Google_Firestore_V1_RunQueryRequest()
    request.parent = documentsPath
    if let query { request.structuredQuery = query }
    let bytes = try request.bytes
    expectError(message) { try RunQueryRequest(decoding: bytes) }
  }

  @Test func `filters nested without end`() throws {
    var filter: [UInt8] = []
    for _ in 0..<200 {
      var composite = ProtobufWriter()
      composite.int64(1, 1)
      composite.content(2, filter)
      var outer = ProtobufWriter()
      outer.content(1, composite.bytes)
      filter = outer.bytes
    }
    var query = ProtobufWriter()
    query.content(3, filter)
    var request = ProtobufWriter()
    request.string(1, documentsPath)
    request.content(2, query.bytes)
    expectError("The filter is nested too deeply.") {
      try RunQueryRequest(decoding: request.bytes)
    }
  }

  private static let aggregations:
    [([Google_Firestore_V1_StructuredAggregationQuery.Aggregation], String)] = [
      ([], "Aggregations can not be empty."),
      ([.init()], "Operator field in Aggregation is not set."),
      (
        Array(repeating: count(), count: 6),
        "The maximum number of aggregations allowed in an aggregation query is 5. Received: 6"
      ),
      (
        [count("x"), count("x")],
        "Aggregation aliases contain duplicate alias: x."
      ),
      ([count("__x__")], #"The property.name "__x__" is reserved."#),
      (
        [count(upTo: -1)],
        "The `up_to` value in a COUNT aggregation must be greater than or equal to zero."
      ),
    ]

  private static func count(
    _ alias: String = "",
    upTo: Int64? = nil
  ) -> Google_Firestore_V1_StructuredAggregationQuery.Aggregation {
    var aggregation = Google_Firestore_V1_StructuredAggregationQuery.Aggregation()
    aggregation.alias = alias
    aggregation.count = .init()
    if let upTo { aggregation.count.upTo = Google_Protobuf_Int64Value(upTo) }
    return aggregation
  }

  @Test(arguments: aggregations.indices)
  func `an aggregation`(index: Int) throws {
    let (aggregations, message) = Self.aggregations[index]
    var request = Google_Firestore_V1_RunAggregationQueryRequest()
    request.parent = documentsPath
    request.structuredAggregationQuery.structuredQuery = .init()
    request.structuredAggregationQuery.aggregations = aggregations
    let bytes = try request.bytes
    expectError(message) { try RunAggregationQueryRequest(decoding: bytes) }
  }

  @Test(arguments: [
    ("a up", #"Invalid order_by "a up": expected "path [asc|desc], ..."."#),
    ("a,,b", #"Invalid order_by "a,,b": expected "path [asc|desc], ..."."#),
    ("a asc b", #"Invalid order_by "a asc b": expected "path [asc|desc], ..."."#),
  ])
  func `a list's order`(text: String, message: String) throws {
    var request = Google_Firestore_V1_ListDocumentsRequest()
    request.parent = documentsPath
    request.collectionID = "c"
    request.orderBy = text
    let bytes = try request.bytes
    expectError(message) { try ListDocumentsRequest(decoding: bytes) }
  }

  @Test func `a target of another database`() throws {
    var request = Google_Firestore_V1_ListenRequest()
    request.database = databasePath
    request.addTarget.documents.documents = ["projects/q/databases/d/documents/c/d"]
    var bytes = try request.bytes
    expectError(
      #"Document "projects/q/databases/d/documents/c/d" is not in the database of the request, "#
        + #""projects/p/databases/(default)"."#
    ) { try ListenRequest(decoding: bytes) }
    request.addTarget.query.parent = "projects/q/databases/d/documents"
    request.addTarget.query.structuredQuery = .init()
    bytes = try request.bytes
    expectError(
      #""projects/q/databases/d/documents" is not in the database of the request, "#
        + #""projects/p/databases/(default)"."#
    ) { try ListenRequest(decoding: bytes) }
    request.addTarget.pipelineQuery = .init()
    bytes = try request.bytes
    expectError(
      "Brasa does not support listening to pipelines. Listen to a query, or execute the pipeline.",
      code: .unimplemented
    ) { try ListenRequest(decoding: bytes) }
  }

  @Test func `a pipeline's options that the server does not know`() throws {
    var function = Google_Firestore_V1_Function()
    function.name = "exists"
    var flag = Google_Firestore_V1_Value()
    flag.booleanValue = true
    function.options = ["surprise": flag]
    var condition = Google_Firestore_V1_Value()
    condition.functionValue = function
    var stage = Google_Firestore_V1_Pipeline.Stage()
    stage.name = "where"
    stage.args = [condition]
    var request = Google_Firestore_V1_ExecutePipelineRequest()
    request.database = databasePath
    request.structuredPipeline.pipeline.stages = [stage]
    var bytes = try request.bytes
    expectError(#"The function exists has no option "surprise"."#) {
      try ExecutePipelineRequest(decoding: bytes)
    }
    request.structuredPipeline.pipeline.stages[0].args = []
    request.requestOptions.requestTags = ["tag"]
    request.autoCommitTransaction = false
    bytes = try request.bytes
    #expect(try ExecutePipelineRequest(decoding: bytes).stages.count == 1)
    request.autoCommitTransaction = true
    bytes = try request.bytes
    expectError(
      "Brasa does not support auto_commit_transaction. Commit the transaction by a call of its own.",
      code: .unimplemented
    ) { try ExecutePipelineRequest(decoding: bytes) }
  }

  @Test func `a partition query without a query, and one without parts`() throws {
    var request = Google_Firestore_V1_PartitionQueryRequest()
    request.parent = documentsPath
    var bytes = try request.bytes
    expectError("Query is required.") { try PartitionQueryRequest(decoding: bytes) }
    request.structuredQuery = .init()
    bytes = try request.bytes
    expectError("The partition count must be positive.") {
      try PartitionQueryRequest(decoding: bytes)
    }
  }

  @Test func `bytes that are no message, and text that is no UTF-8`() throws {
    expectError("The request is not a valid protobuf message.") {
      try GetDocumentRequest(decoding: [0x0A, 0x05, 0x61])
    }
    expectError("The request is not a valid protobuf message.") {
      try GetDocumentRequest(decoding: [0x0A, 0x01, 0xFF])
    }
  }

  @Test func `a timestamp out of range`() throws {
    var request = Google_Firestore_V1_GetDocumentRequest()
    request.name = "\(documentsPath)/c/d"
    request.readTime.nanos = -1
    let bytes = try request.bytes
    expectError(
      "A timestamp must be within 0001-01-01T00:00:00Z and 9999-12-31T23:59:59.999999999Z."
    ) { try GetDocumentRequest(decoding: bytes) }
  }
}
