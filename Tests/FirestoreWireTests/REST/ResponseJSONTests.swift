import BaseStatus
import DocumentCodec
import FirestoreModel
import FirestoreWire
import ModelTestSupport
import SwiftProtobuf
import Testing

@Suite("Responses as JSON")
struct ResponseJSONTests {
  private static let record = DocumentRecord(
    name: name("c/d"),
    fields: DocumentFields(
      encoding: MapValue([MapValue.Entry(key: "a", value: .integer(1))])
    ),
    createTime: CommitVersion(microseconds: 1_000_001),
    updateTime: CommitVersion(microseconds: 2_000_000)
  )
  private static let document =
    #"{"name":"\#(documentsPath)/c/d","fields":{"a":{"integerValue":"1"}},"#
    + #""createTime":"1970-01-01T00:00:01.000001Z","updateTime":"1970-01-01T00:00:02Z"}"#

  private static let second = CommitVersion(microseconds: 3_000_000)

  private static let responses: [(RPCMethod, any WireResponse, String)] = [
    (.getDocument, DocumentResponse(record), document),
    (.deleteDocument, EmptyResponse(), "{}"),
    (.rollback, EmptyResponse(), "{}"),
    (
      .batchGetDocuments,
      BatchGetDocumentsResponse(result: .missing(name("c/x")), readTime: second),
      #"{"missing":"\#(documentsPath)/c/x","readTime":"1970-01-01T00:00:03Z"}"#
    ),
    (
      .batchGetDocuments,
      BatchGetDocumentsResponse(result: .found(record), readTime: second),
      #"{"found":\#(document),"readTime":"1970-01-01T00:00:03Z"}"#
    ),
    (.beginTransaction, BeginTransactionResponse(transaction: [1, 2]), #"{"transaction":"AQI="}"#),
    (
      .commit,
      CommitResponse(
        results: [
          WriteResult(updateTime: second, transformResults: [.null]), WriteResult(updateTime: nil),
        ],
        commitTime: second
      ),
      #"{"writeResults":[{"updateTime":"1970-01-01T00:00:03Z","transformResults":["#
        + #"{"nullValue":null}]},{}],"commitTime":"1970-01-01T00:00:03Z"}"#
    ),
    (
      .batchWrite,
      BatchWriteResponse(outcomes: [
        .success(WriteResult(updateTime: nil)),
        .failure(ServiceError(.notFound, "m", reason: .init("R", domain: "d"))),
      ]),
      #"{"writeResults":[{},{}],"status":[{},{"code":5,"message":"m","details":["#
        + #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"R","domain":"d"}]}]}"#
    ),
    (
      .executePipeline,
      ExecutePipelineResponse(
        results: [
          .row(MapValue(), name: nil, createTime: nil, updateTime: nil),
          .row(
            MapValue([MapValue.Entry(key: "a", value: .integer(1))]),
            name: nil,
            createTime: nil,
            updateTime: nil
          ),
        ],
        executionTime: second
      ),
      #"{"results":[{"fields":{}},{"fields":{"a":{"integerValue":"1"}}}],"#
        + #""executionTime":"1970-01-01T00:00:03Z"}"#
    ),
    (.runQuery, RunQueryResponse(readTime: second), #"{"readTime":"1970-01-01T00:00:03Z"}"#),
    (
      .runQuery,
      RunQueryResponse(
        skippedResults: 2,
        isDone: true,
        explain: ExplainMetrics(
          plan: [.init(queryScope: "Collection", properties: "(a ASC)")],
          execution: .init(
            resultsReturned: 1,
            duration: .milliseconds(1500),
            readOperations: 2,
            debug: [.text(name: "documents_scanned", value: "1")]
          )
        )
      ),
      #"{"skippedResults":2,"done":true,"explainMetrics":{"planSummary":{"indexesUsed":["#
        + #"{"properties":"(a ASC)","query_scope":"Collection"}]},"executionStats":"#
        + #"{"resultsReturned":"1","executionDuration":"1.500s","readOperations":"2","#
        + #""debugStats":{"documents_scanned":"1"}}}}"#
    ),
    (
      .runAggregationQuery,
      RunAggregationQueryResponse(result: [("n", .integer(2))], readTime: second),
      #"{"result":{"aggregateFields":{"n":{"integerValue":"2"}}},"#
        + #""readTime":"1970-01-01T00:00:03Z"}"#
    ),
    (
      .listDocuments,
      ListDocumentsResponse(items: [.missing(name("c/x"))], nextPageToken: "t"),
      #"{"documents":[{"name":"\#(documentsPath)/c/x"}],"nextPageToken":"t"}"#
    ),
    (.listDocuments, ListDocumentsResponse(items: []), "{}"),
    (
      .listCollectionIDs, ListCollectionIDsResponse(ids: ["a", "b"]),
      #"{"collectionIds":["a","b"]}"#
    ),
    (
      .partitionQuery,
      PartitionQueryResponse(partitions: [Cursor(values: [.integer(1)], before: true)]),
      #"{"partitions":[{"values":[{"integerValue":"1"}],"before":true}]}"#
    ),
  ]

  @Test(arguments: responses.indices)
  func `a response`(index: Int) throws {
    let (method, response, json) = Self.responses[index]
    let text = try RESTTranscoder().json(of: method, response: response.encoded())
    #expect(string(text) == json)
  }

  @Test func `a stream's pieces make one array`() {
    let text = RESTStream.opening + Array("{}".utf8) + RESTStream.separator + Array("{}".utf8)
    #expect(string(text + RESTStream.closing) == "[{}\n,\n{}\n]")
  }

  @Test func `any request's JSON becomes the message that swift-protobuf makes of it`() throws {
    var random = RandomRequests(seed: testSeed)
    for _ in 0..<200 {
      var commit = Google_Firestore_V1_CommitRequest()
      let writes = (0..<2).map { _ in random.write() }
      commit.writes = writes.map { Google_Firestore_V1_Write($0.write, fields: $0.fields) }
      let body = Array(try commit.jsonString().utf8)
      let call = try #require(
        try RESTTranscoder()
          .call(method: "POST", path: "/v1/\(documentsPath):commit", query: nil, body: body)
      )
      let request = try CommitRequest(decoding: call.request)
      for (decoded, (write, fields)) in zip(request.writes, writes) {
        try #require(decoded.isSame(as: write, fields: fields), "seed \(testSeed)")
      }
      var query = Google_Firestore_V1_RunQueryRequest()
      let model = random.query()
      query.structuredQuery = Google_Firestore_V1_StructuredQuery(model)
      let text = Array(try query.jsonString().utf8)
      let path = "/v1/\(documentsPath):runQuery"
      let run = try #require(
        try RESTTranscoder().call(method: "POST", path: path, query: nil, body: text)
      )
      var expected = model
      expected.parent = .root
      try #require(try RunQueryRequest(decoding: run.request).query == expected, "\(testSeed)")
    }
  }

  @Test func `mutated JSON is read or refused, never more`() throws {
    var random = RandomRequests(seed: testSeed)
    for _ in 0..<60 {
      var commit = Google_Firestore_V1_CommitRequest()
      let (write, fields) = random.write()
      commit.writes = [Google_Firestore_V1_Write(write, fields: fields)]
      let body = Array(try commit.jsonString().utf8)
      for _ in 0..<20 {
        let call = try? RESTTranscoder().call(
          method: "POST",
          path: "/v1/\(documentsPath):commit",
          query: nil,
          body: random.mutated(body)
        )
        if let call { _ = try? CommitRequest(decoding: call.request) }
      }
    }
  }
}
