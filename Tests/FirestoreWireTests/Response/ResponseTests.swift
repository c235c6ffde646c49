import BaseStatus
import DocumentCodec
import FirestoreModel
import FirestoreWire
import ModelTestSupport
import SwiftProtobuf
import Testing

extension Google_Firestore_V1_Document {
  fileprivate init(_ record: DocumentRecord) {
    self.init()
    name = record.name.string
    fields = record.fields.decoded().messages
    createTime = Google_Protobuf_Timestamp(record.createTime.timestamp)
    updateTime = Google_Protobuf_Timestamp(record.updateTime.timestamp)
  }
}

@Suite("Responses that swift-protobuf decodes")
struct ResponseTests {
  private static let record = DocumentRecord(
    name: name("c/d"),
    fields: DocumentFields(
      encoding: MapValue([
        MapValue.Entry(key: "a", value: .integer(1)), MapValue.Entry(key: "b", value: .null),
      ])
    ),
    createTime: CommitVersion(microseconds: 1_000_001),
    updateTime: CommitVersion(microseconds: 2_000_000)
  )

  @Test func `any document decodes as itself`() throws {
    var random = RandomRequests(seed: testSeed)
    for _ in 0..<300 {
      let record = random.record()
      let bytes = DocumentResponse(record).encoded()
      let decoded = try Google_Firestore_V1_Document(serializedBytes: bytes)
      // NaN differs from itself: compare what is written.
      let expected: [UInt8] = try Self.canonical(Google_Firestore_V1_Document(record))
      try #require(try Self.canonical(decoded) == expected, "seed \(testSeed)")
    }
  }

  private static func canonical(_ message: Google_Firestore_V1_Document) throws -> [UInt8] {
    var options = BinaryEncodingOptions()
    options.useDeterministicOrdering = true
    return try message.serializedBytes(options: options)
  }

  @Test func `a mask leaves what it names`() throws {
    let bytes = DocumentResponse(Self.record, mask: [path("b")]).encoded()
    let decoded = try Google_Firestore_V1_Document(serializedBytes: bytes)
    #expect(decoded.fields == ["b": Google_Firestore_V1_Value(.null)])
    #expect(decoded.createTime.nanos == 1_000)
  }

  @Test func `batch get: found, missing, and the new transaction alone`() throws {
    let found = BatchGetDocumentsResponse(
      result: .found(Self.record),
      readTime: CommitVersion(microseconds: 3_000_000)
    )
    let first = try Google_Firestore_V1_BatchGetDocumentsResponse(
      serializedBytes: found.encoded()
    )
    #expect(first.found == Google_Firestore_V1_Document(Self.record))
    #expect(first.readTime.seconds == 3)
    let missing = BatchGetDocumentsResponse(
      result: .missing(name("c/x")),
      readTime: CommitVersion(microseconds: 3_000_000)
    )
    let second = try Google_Firestore_V1_BatchGetDocumentsResponse(
      serializedBytes: missing.encoded()
    )
    #expect(second.missing == "\(documentsPath)/c/x")
    let begun = BatchGetDocumentsResponse(result: nil, transaction: [1], readTime: nil)
    let third = try Google_Firestore_V1_BatchGetDocumentsResponse(serializedBytes: begun.encoded())
    #expect(Array(third.transaction) == [1])
    #expect(third.result == nil && !third.hasReadTime)
  }

  @Test func `a query's messages`() throws {
    let response = RunQueryResponse(
      document: Self.record,
      readTime: CommitVersion(microseconds: 1),
      skippedResults: 2,
      isDone: true,
      explain: ExplainMetrics(
        plan: [.init(queryScope: "Collection", properties: "(a ASC, __name__ ASC)")],
        execution: .init(
          resultsReturned: 1,
          duration: .milliseconds(1500),
          readOperations: 3,
          debug: [
            .text(name: "documents_scanned", value: "4"),
            .group(name: "billing_details", [.text(name: "min_query_cost", value: "0")]),
          ]
        )
      )
    )
    let decoded = try Google_Firestore_V1_RunQueryResponse(serializedBytes: response.encoded())
    #expect(decoded.document == Google_Firestore_V1_Document(Self.record))
    #expect(decoded.skippedResults == 2 && decoded.done)
    let index = decoded.explainMetrics.planSummary.indexesUsed[0].fields
    #expect(index["query_scope"]?.stringValue == "Collection")
    #expect(index["properties"]?.stringValue == "(a ASC, __name__ ASC)")
    let stats = decoded.explainMetrics.executionStats
    #expect(stats.resultsReturned == 1 && stats.readOperations == 3)
    #expect(stats.executionDuration.seconds == 1)
    #expect(stats.executionDuration.nanos == 500_000_000)
    #expect(stats.debugStats.fields["documents_scanned"]?.stringValue == "4")
    let billing = stats.debugStats.fields["billing_details"]?.structValue
    #expect(billing?.fields["min_query_cost"]?.stringValue == "0")
  }

  @Test func `an aggregation's result under its aliases`() throws {
    let response = RunAggregationQueryResponse(
      result: [("n", .integer(2)), ("mean", .double(0.5))],
      transaction: [7],
      readTime: CommitVersion(microseconds: 1)
    )
    let decoded = try Google_Firestore_V1_RunAggregationQueryResponse(
      serializedBytes: response.encoded()
    )
    #expect(decoded.result.aggregateFields["n"]?.integerValue == 2)
    #expect(decoded.result.aggregateFields["mean"]?.doubleValue == 0.5)
    #expect(Array(decoded.transaction) == [7])
  }

  @Test func `a commit's results, a delete's empty`() throws {
    let response = CommitResponse(
      results: [
        WriteResult(
          updateTime: CommitVersion(microseconds: 5),
          transformResults: [.integer(3), .null]
        ),
        WriteResult(updateTime: nil),
      ],
      commitTime: CommitVersion(microseconds: 6)
    )
    let decoded = try Google_Firestore_V1_CommitResponse(serializedBytes: response.encoded())
    #expect(decoded.writeResults.count == 2)
    #expect(decoded.writeResults[0].updateTime.nanos == 5_000)
    #expect(decoded.writeResults[0].transformResults.map(\.integerValue) == [3, 0])
    #expect(!decoded.writeResults[1].hasUpdateTime)
    #expect(decoded.commitTime.nanos == 6_000)
  }

  @Test func `a batch's results and statuses go side by side`() throws {
    let error = ServiceError(.notFound, "No document", reason: .init("R", helpURL: "https://h"))
    let response = BatchWriteResponse(
      outcomes: [
        .failure(error), .success(WriteResult(updateTime: CommitVersion(microseconds: 5))),
      ]
    )
    let decoded = try Google_Firestore_V1_BatchWriteResponse(serializedBytes: response.encoded())
    #expect(decoded.writeResults.map(\.hasUpdateTime) == [false, true])
    #expect(decoded.status.map(\.code) == [5, 0])
    #expect(decoded.status[0].message == "No document")
    let info = try Google_Rpc_ErrorInfo(unpackingAny: decoded.status[0].details[0])
    #expect(info.reason == "R" && info.domain == "firestore.googleapis.com")
    let help = try Google_Rpc_Help(unpackingAny: decoded.status[0].details[1])
    #expect(help.links[0].url == "https://h")
  }

  @Test func `lists, partitions and ids`() throws {
    let list = ListDocumentsResponse(
      items: [.found(Self.record), .missing(name("c/x"))],
      nextPageToken: "t"
    )
    let documents = try Google_Firestore_V1_ListDocumentsResponse(serializedBytes: list.encoded())
    #expect(documents.documents[0] == Google_Firestore_V1_Document(Self.record))
    #expect(documents.documents[1].name == "\(documentsPath)/c/x")
    #expect(!documents.documents[1].hasCreateTime)
    #expect(documents.nextPageToken == "t")
    let partition = PartitionQueryResponse(
      partitions: [Cursor(values: [.reference(name("c/x"))], before: false)]
    )
    let cursors = try Google_Firestore_V1_PartitionQueryResponse(
      serializedBytes: partition.encoded()
    )
    #expect(cursors.partitions[0].values[0].referenceValue == "\(documentsPath)/c/x")
    let ids = try Google_Firestore_V1_ListCollectionIdsResponse(
      serializedBytes: ListCollectionIDsResponse(ids: ["a", "é"]).encoded()
    )
    #expect(ids.collectionIds == ["a", "é"])
    #expect(EmptyResponse().encoded().isEmpty)
    let begin = BeginTransactionResponse(transaction: [1, 2]).encoded()
    let begun = try Google_Firestore_V1_BeginTransactionResponse(serializedBytes: begin)
    #expect(Array(begun.transaction) == [1, 2])
  }
}
