import BaseJSON
import BaseText
import DocumentCodec
import FirestoreModel
import FirestoreWire
import ModelTestSupport
import Testing

/// Whatever clients send is read or refused, and never ends the process.
@Suite struct ReaderFuzzTests {
  private static let root = "/v1/" + documentsPath

  // MARK: WebChannel

  private static let channels = [
    "VER=8&SID=s&RID=rpc&AID=12&CI=1&TO=5000&TYPE=xmlhttp&gsessionid=g&database=p%2Fd",
    "VER=8&RID=60532&$httpHeaders=Authorization%3ABearer%20owner%0D%0A&zx=a&t=1",
    "AID=-1&CI=0&TYPE=terminate",
    "headers=Authorization%3ABearer%20x%0D%0A&count=2&ofs=7&req0___data__=a&req1___data__=b",
    "count=1&ofs=0&req0___data__=%7B%22database%22%3A%22projects%2Fp%22%7D", "count=0", "ofs=3",
  ]

  @Test func `WebChannel parameters, forms and acknowledgements`() throws {
    let examples = Self.channels.map { Array($0.utf8) }
    var fuzzer = Fuzzer("webchannel", slowCount: 2_500_000, examples: examples)
    var inbox = WebChannelInbox(maximumHeldBytes: 10_000)
    var outbox = WebChannelOutbox()
    try fuzzer.run { input in
      outbox.append(WebChannelPayload.noop)
      let parameters = try? WebChannelParameters(String(decoding: input, as: UTF8.self))
      if let number = parameters?.acknowledged {
        _ = outbox.items(after: number, maxBytes: 100)
        _ = outbox.bytes(through: number)
        outbox.acknowledge(through: min(number, outbox.last))
      }
      guard let form = try? WebChannelForm(input) else { return }
      do { _ = try inbox.receive(form) } catch { inbox = WebChannelInbox(maximumHeldBytes: 10_000) }
      outbox.acknowledge(through: outbox.last - 100)
    }
  }

  // MARK: gRPC

  @Test func `gRPC frames, cut anywhere, and deadlines`() throws {
    let examples =
      [[], [1, 2, 3], [UInt8](repeating: 7, count: 300)].map(GRPCFraming.frame)
      + ["99999999H", "1S", "0n", "/google.firestore.v1.Firestore/Listen"].map { Array($0.utf8) }
    var fuzzer = Fuzzer("grpc", slowCount: 3_000_000, examples: examples)
    try fuzzer.run { input in
      let text = String(decoding: input, as: UTF8.self)
      if let timeout = GRPCTimeout.parse(text) { _ = ContinuousClock.now + timeout }
      var deframer = GRPCMessageDeframer(maximumSize: 1_000)
      let cut = input.count / 3
      for piece in [input[..<cut], input[cut...]] {
        piece.withUnsafeBytes { deframer.append($0) }
        while let message = try? deframer.next() { _ = message }
      }
      _ = try? deframer.finish()
    }
  }

  // MARK: JSON

  private static let bodies = [
    #"{"structuredQuery":{"from":[{"collectionId":"c"}],"limit":3,"offset":2,"orderBy":[{"field":{"fieldPath":"n"},"direction":"DESCENDING"}],"startAt":{"values":[{"integerValue":"7"}],"before":true}}}"#,
    #"{"structuredQuery":{"from":[{"collectionId":"c"}],"findNearest":{"vectorField":{"fieldPath":"v"},"queryVector":{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"doubleValue":1}]}}}}},"distanceMeasure":"COSINE","limit":5,"distanceThreshold":0.5}}}"#,
    #"{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}]},"aggregations":[{"count":{"upTo":"10"}},{"sum":{"field":{"fieldPath":"n"}}}]}}"#,
    #"{"writes":[{"update":{"name":"projects/p/databases/(default)/documents/c/d","fields":{"n":{"integerValue":-5},"t":{"timestampValue":"2026-11-22T11:00:00.25Z"},"d":{"doubleValue":"NaN"},"g":{"geoPointValue":{"latitude":90,"longitude":-180}},"b":{"bytesValue":"AAEC"}}},"updateMask":{"fieldPaths":["n","a.`b c`"]},"updateTransforms":[{"fieldPath":"n","increment":{"integerValue":"9223372036854775807"}}],"currentDocument":{"updateTime":"1970-01-01T00:00:00Z"}}]}"#,
    #"{"database":"projects/p/databases/(default)","addTarget":{"targetId":2147483647,"documents":{"documents":["projects/p/databases/(default)/documents/c/d"]},"resumeToken":"AgAAAAEAAAAAAAAAAQAAAAAAAAAB","expectedCount":12}}"#,
    #"{"documents":["projects/p/databases/(default)/documents/c/d"],"readTime":"2026-11-22T11:00:00+01:00","newTransaction":{"readOnly":{}}}"#,
    #"{"partitionCount":"5","pageSize":2,"pageToken":"AQ","structuredQuery":{"from":[{"collectionId":"c","allDescendants":true}]}}"#,
    #"{"fields":{"a":{"arrayValue":{"values":[{"nullValue":null},{"booleanValue":true},{"stringValue":"\ud83d\ude00"}]}}}}"#,
    #"[1e308,-0.0,{"a":[[[]]]},"\u0000",true,null]"#,
  ]

  private static let routes: [(method: String, path: String)] = [
    ("POST", ":runQuery"), ("POST", ":runAggregationQuery"), ("POST", ":commit"),
    ("POST", ":batchGet"), ("POST", ":partitionQuery"), ("POST", "/c"), ("PATCH", "/c/d"),
    ("POST", ":batchWrite"), ("POST", ":beginTransaction"),
  ]

  @Test func `JSON and the messages that it means`() throws {
    let examples = Self.bodies.map { Array($0.utf8) }
    var fuzzer = Fuzzer("json", slowCount: 1_000_000, examples: examples)
    let transcoder = RESTTranscoder()
    var turn = 0
    try fuzzer.run { input in
      turn += 1
      let route = Self.routes[turn % Self.routes.count]
      let call = try? transcoder.call(
        method: route.method,
        path: Self.root + route.path,
        query: nil,
        body: input
      )
      if let call { Self.readAsEverything(call.request) }
      for method in [RPCMethod.listen, .write] {
        _ = try? transcoder.message(of: method, json: input)
      }
      guard let text = String(validating: input, as: UTF8.self),
        let json = try? JSONValue(parsing: text)
      else { return }
      _ = json.hasUniqueMembers
      _ = json.value
      _ = json.integer
      _ = json.compact
    }
  }

  @Test func `paths and queries of URLs`() throws {
    let urls = [
      "GET /c?pageSize=10&pageToken=AQ&orderBy=n%20desc,__name__&showMissing=true&mask.fieldPaths=a",
      "GET /c/d?readTime=2026-11-22T11:00:00Z&mask.fieldPaths=a.%60b%60",
      "PATCH /c/d?updateMask.fieldPaths=n&currentDocument.exists=true",
      "DELETE /c/d?currentDocument.updateTime=9999-12-31T23:59:59.999999999Z",
      "POST /c?documentId=x&key=AIza", "POST /c/d:runQuery?alt=json",
    ]
    var fuzzer = Fuzzer("url", slowCount: 800_000, examples: urls.map { Array($0.utf8) })
    try fuzzer.run { input in
      let words = String(decoding: input, as: UTF8.self)
        .split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      let halves = (words.last ?? "").split(separator: "?", maxSplits: 1)
      let call = try? RESTTranscoder()
        .call(
          method: String(words.first ?? ""),
          path: Self.root + (halves.first ?? ""),
          query: halves.count > 1 ? String(halves[1]) : nil,
          body: []
        )
      if let call { Self.readAsEverything(call.request) }
      let text = String(decoding: input, as: UTF8.self)
      _ = TimestampText.parse(text)
      _ = DurationText.parse(text)
      _ = Base64.decode(text.utf8)
      _ = try? FieldPath(parsing: text)
      _ = try? DocumentName(parsing: text)
    }
  }

  // MARK: Protobuf

  @Test func `requests as protobuf`() throws {
    var examples: [[UInt8]] = []
    for body in Self.bodies.map({ Array($0.utf8) }) {
      for route in Self.routes {
        let path = Self.root + route.path
        let call = try? RESTTranscoder()
          .call(method: route.method, path: path, query: nil, body: body)
        if let call { examples.append(call.request) }
      }
      for method in [RPCMethod.listen, .write] {
        if let message = try? RESTTranscoder().message(of: method, json: body) {
          examples.append(message)
        }
      }
    }
    try #require(examples.count > 8)
    var fuzzer = Fuzzer("protobuf", slowCount: 600_000, examples: examples)
    try fuzzer.run { Self.readAsEverything($0) }
  }

  /// Reads the bytes as every request, and as answers that are written as JSON.
  private static func readAsEverything(_ bytes: [UInt8]) {
    let types: [any WireRequest.Type] = [
      GetDocumentRequest.self, BatchGetDocumentsRequest.self, CommitRequest.self,
      BatchWriteRequest.self, RunQueryRequest.self, RunAggregationQueryRequest.self,
      ListDocumentsRequest.self, UpdateDocumentRequest.self, ListenRequest.self,
      WriteStreamRequest.self, PartitionQueryRequest.self, DeleteDocumentRequest.self,
      ListCollectionIDsRequest.self, BeginTransactionRequest.self,
      RollbackRequest.self,
    ]
    for type in types { _ = try? type.init(decoding: bytes) }
    if let query = (try? RunQueryRequest(decoding: bytes))?.query { _ = try? query.normalized() }
    for method in [RPCMethod.commit, .listen, .runQuery] {
      _ = try? RESTTranscoder().json(of: method, response: bytes)
    }
  }
}
