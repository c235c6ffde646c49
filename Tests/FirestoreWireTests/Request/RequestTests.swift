import DocumentCodec
import FirestoreModel
import FirestoreWire
import ModelTestSupport
import SwiftProtobuf
import Testing

@Suite("Requests")
struct RequestTests {
  private static let instant = Google_Protobuf_Timestamp(seconds: 5, nanos: 7_000)

  @Test func `get reads name, mask and each consistency`() throws {
    var message = Google_Firestore_V1_GetDocumentRequest()
    message.name = "\(documentsPath)/c/d"
    message.mask.fieldPaths = ["b", "a.c", "a"]
    var request = try GetDocumentRequest(decoding: message.bytes)
    #expect(request.name == name("c/d"))
    #expect(request.mask == [path("a"), path("b")])
    #expect(request.consistency == .latest)
    message.transaction.append(contentsOf: [1, 2])
    request = try GetDocumentRequest(decoding: message.bytes)
    #expect(request.consistency == .transaction([1, 2]))
    message.readTime = Self.instant
    request = try GetDocumentRequest(decoding: message.bytes)
    #expect(request.consistency == .readTime(Timestamp(microseconds: 5_000_007)))
  }

  @Test func `batch get keeps the order, drops repeats and begins what it is told`() throws {
    var message = Google_Firestore_V1_BatchGetDocumentsRequest()
    message.database = databasePath
    message.documents = ["c/2", "c/1", "c/2"].map { "\(documentsPath)/\($0)" }
    message.newTransaction = Google_Firestore_V1_TransactionOptions()
    var request = try BatchGetDocumentsRequest(decoding: message.bytes)
    #expect(request.names == [name("c/2"), name("c/1")])
    #expect(request.consistency == .newTransaction(.readOnly(readTime: nil)))
    message.newTransaction.readWrite.retryTransaction.append(9)
    message.newTransaction.readWrite.concurrencyMode = .optimistic
    request = try BatchGetDocumentsRequest(decoding: message.bytes)
    #expect(
      request.consistency == .newTransaction(.readWrite(retry: [9], concurrency: .optimistic))
    )
  }

  @Test func `begin without options is read-write`() throws {
    var message = Google_Firestore_V1_BeginTransactionRequest()
    message.database = databasePath
    let standard = try BeginTransactionRequest(decoding: message.bytes)
    #expect(standard.options == .readWrite(retry: nil, concurrency: nil))
    message.options.readOnly.readTime = Self.instant
    let readOnly = try BeginTransactionRequest(decoding: message.bytes)
    #expect(readOnly.options == .readOnly(readTime: Timestamp(microseconds: 5_000_007)))
  }

  @Test func `commit and rollback carry the transaction`() throws {
    var commit = Google_Firestore_V1_CommitRequest()
    commit.database = databasePath
    #expect(try CommitRequest(decoding: commit.bytes).transaction == nil)
    commit.transaction.append(3)
    #expect(try CommitRequest(decoding: commit.bytes).transaction == [3])
    var rollback = Google_Firestore_V1_RollbackRequest()
    rollback.database = databasePath
    rollback.transaction.append(4)
    #expect(try RollbackRequest(decoding: rollback.bytes).transaction == [4])
  }

  @Test func `fields that lie apart in a document are gathered`() throws {
    var first = Google_Firestore_V1_Document()
    first.fields["a"] = Google_Firestore_V1_Value(.integer(1))
    var second = Google_Firestore_V1_Document()
    second.name = "\(documentsPath)/c/d"
    var third = Google_Firestore_V1_Document()
    third.fields["b"] = Google_Firestore_V1_Value(.integer(2))
    let document = try first.bytes + second.bytes + third.bytes
    var request = ProtobufWriter()
    request.content(1, document)
    let write = try UpdateDocumentRequest(decoding: request.bytes).write
    guard case .update(let fields, let mask) = write.operation else {
      Issue.record("no update")
      return
    }
    #expect(mask == nil)
    #expect(fields.value(at: path("a")) == .integer(1))
    #expect(fields.value(at: path("b")) == .integer(2))
  }

  @Test func `create takes its id or makes one`() throws {
    var message = Google_Firestore_V1_CreateDocumentRequest()
    message.parent = "\(documentsPath)/c/d"
    message.collectionID = "e"
    message.documentID = "f"
    message.document.name = "ignored"
    message.document.fields["a"] = Google_Firestore_V1_Value(.null)
    var random = SeededSource(seed: 1)
    var request = try CreateDocumentRequest(decoding: message.bytes, using: &random)
    #expect(request.write.name == name("c/d/e/f"))
    #expect(request.write.precondition == .exists(false))
    #expect(!request.hasGeneratedID)
    message.documentID = ""
    request = try CreateDocumentRequest(decoding: message.bytes, using: &random)
    #expect(request.hasGeneratedID)
    #expect(request.write.name.path.lastID?.byteCount == 20)
    #expect(request.write.name.path.parent == name("c/d/e/x").path.parent)
  }

  @Test func `list reads its order text`() throws {
    var message = Google_Firestore_V1_ListDocumentsRequest()
    message.parent = documentsPath
    message.collectionID = "c"
    message.pageSize = 7
    message.pageToken = "t"
    message.orderBy = "priority desc, a.`b, c` , __name__ ASC"
    let request = try ListDocumentsRequest(decoding: message.bytes)
    #expect(request.collectionID == "c")
    #expect(request.pageSize == 7)
    #expect(request.pageToken == "t")
    #expect(
      request.orders == [
        Order(path("priority"), .descending), Order(FieldPath(["a", "b, c"])),
        Order(.documentName),
      ]
    )
  }

  @Test func `aggregations without an alias are counted`() throws {
    var message = Google_Firestore_V1_RunAggregationQueryRequest()
    message.parent = documentsPath
    message.structuredAggregationQuery.structuredQuery = Google_Firestore_V1_StructuredQuery(
      Query(scope: .collection("c"))
    )
    var count = Google_Firestore_V1_StructuredAggregationQuery.Aggregation()
    count.count.upTo = Google_Protobuf_Int64Value(3)
    var sum = Google_Firestore_V1_StructuredAggregationQuery.Aggregation()
    sum.sum.field.fieldPath = "a"
    sum.alias = "total"
    var average = Google_Firestore_V1_StructuredAggregationQuery.Aggregation()
    average.avg.field.fieldPath = "b"
    message.structuredAggregationQuery.aggregations = [count, sum, average]
    message.explainOptions.analyze = true
    let request = try RunAggregationQueryRequest(decoding: message.bytes)
    #expect(
      request.aggregations == [
        Aggregation(alias: "field_1", operator: .count(upTo: 3)),
        Aggregation(alias: "total", operator: .sum(path("a"))),
        Aggregation(alias: "field_2", operator: .average(path("b"))),
      ]
    )
    #expect(request.explain == .analyze)
  }

  @Test func `a nearest-neighbour search reads whole`() throws {
    var message = Google_Firestore_V1_RunQueryRequest()
    message.parent = documentsPath
    message.structuredQuery.findNearest.vectorField.fieldPath = "v"
    message.structuredQuery.findNearest.queryVector = Google_Firestore_V1_Value(.vector([1, 2]))
    message.structuredQuery.findNearest.distanceMeasure = .cosine
    message.structuredQuery.findNearest.limit = Google_Protobuf_Int32Value(10)
    message.structuredQuery.findNearest.distanceResultField = "d"
    message.structuredQuery.findNearest.distanceThreshold = Google_Protobuf_DoubleValue(0.5)
    let search = try RunQueryRequest(decoding: message.bytes).query.findNearest
    let expected = FindNearest(
      field: path("v"),
      vector: [1, 2],
      measure: .cosine,
      limit: 10,
      distanceResultField: path("d"),
      distanceThreshold: 0.5
    )
    #expect(search == expected)
  }

  @Test func `stream requests read`() throws {
    var listen = Google_Firestore_V1_ListenRequest()
    listen.database = databasePath
    listen.labels = ["goog-listen-tags": "limbo-document"]
    listen.addTarget.documents.documents = ["\(documentsPath)/c/d"]
    listen.addTarget.targetID = 2
    listen.addTarget.resumeToken.append(1)
    listen.addTarget.expectedCount = Google_Protobuf_Int32Value(4)
    let request = try ListenRequest(decoding: listen.bytes)
    guard case .add(let target) = request.change else {
      Issue.record("no target")
      return
    }
    #expect(target.kind == .documents([name("c/d")]))
    #expect(target.targetID == 2)
    #expect(target.resumption == .token([1]))
    #expect(target.expectedCount == 4)
    #expect(request.labels == ["goog-listen-tags": "limbo-document"])
    listen.removeTarget = 2
    #expect(try ListenRequest(decoding: listen.bytes).change == .remove(2))
    var write = Google_Firestore_V1_WriteRequest()
    write.database = databasePath
    #expect(try WriteStreamRequest(decoding: write.bytes).database == database)
  }
}
