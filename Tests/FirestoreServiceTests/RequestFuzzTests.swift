import FirestoreWire
import ModelTestSupport
import Testing

@testable import FirestoreService

/// Requests that are read are also carried out: on a store, under rules, to their last message.
@Suite struct RequestFuzzTests {
  private static let methods: [RPCMethod] = [
    .runQuery, .runAggregationQuery, .commit, .batchGetDocuments, .partitionQuery, .batchWrite,
    .listDocuments, .getDocument, .listCollectionIDs, .beginTransaction,
  ]

  private static let rules = """
    match /{path=**} {
      allow read: if request.query.limit + 1 > 0 && request.time > timestamp.value(0);
      allow read, write: if true;
    }
    """

  private static func bodies(_ name: String) -> [(String, String)] {
    [
      (
        ":runQuery",
        #"{"structuredQuery":{"from":[{"collectionId":"c"}],"orderBy":[{"field":{"fieldPath":"n"}}],"offset":2,"limit":3,"startAt":{"values":[{"integerValue":"1"}]}}}"#
      ),
      (
        ":runQuery",
        #"{"structuredQuery":{"from":[{"collectionId":"c"}],"findNearest":{"vectorField":{"fieldPath":"v"},"queryVector":{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":{"arrayValue":{"values":[{"doubleValue":1},{"doubleValue":2}]}}}}},"distanceMeasure":"EUCLIDEAN","limit":5}}}"#
      ),
      (
        ":runAggregationQuery",
        #"{"structuredAggregationQuery":{"structuredQuery":{"from":[{"collectionId":"c"}],"limit":5},"aggregations":[{"count":{"upTo":"2"}},{"sum":{"field":{"fieldPath":"n"}}},{"avg":{"field":{"fieldPath":"n"}}}]}}"#
      ),
      (
        ":commit",
        #"{"writes":[{"update":{"name":"\#(name)","fields":{"n":{"integerValue":"5"},"v":{"arrayValue":{"values":[{"doubleValue":0.5}]}},"t":{"timestampValue":"2026-11-22T11:00:00.25Z"}}},"updateMask":{"fieldPaths":["n","t"]},"updateTransforms":[{"fieldPath":"n","increment":{"integerValue":"9223372036854775807"}},{"fieldPath":"a","appendMissingElements":{"values":[{"integerValue":1}]}}]}]}"#
      ),
      (":commit", #"{"writes":[{"delete":"\#(name)","currentDocument":{"exists":true}}]}"#),
      (":batchGet", #"{"documents":["\#(name)"],"newTransaction":{"readOnly":{}}}"#),
      (
        ":partitionQuery",
        #"{"partitionCount":"5","pageSize":2,"structuredQuery":{"from":[{"collectionId":"c","allDescendants":true}],"orderBy":[{"field":{"fieldPath":"__name__"}}]}}"#
      ),
      (":batchWrite", #"{"writes":[{"delete":"\#(name)"}],"labels":{"a":"b"}}"#),
      (":listCollectionIds", #"{"pageSize":2}"#),
      (":beginTransaction", #"{"options":{"readOnly":{"readTime":"2026-11-22T11:00:00Z"}}}"#),
    ]
  }

  @Test func `requests as protobuf, carried out`() async throws {
    let fixture = try ServiceFixture(.development, rules: Self.rules)
    defer { fixture.close() }
    let name = ServiceFixture.documents + "/c/d1"
    for number in 0..<6 {
      let body = #"{"fields":{"n":{"integerValue":\#(number)}}}"#
      _ = try await fixture.call("POST", "/c?documentId=d\(number)", body)
    }
    let examples = try Self.bodies(name).map { path, body in
      let call = try RESTTranscoder()
        .call(
          method: "POST",
          path: ServiceFixture.root + path,
          query: nil,
          body: Array(body.utf8)
        )
      return try #require(call).request
    }
    let owner = ServiceFixture.context(authorization: "Bearer owner")
    let anybody = ServiceFixture.context()
    var fuzzer = Fuzzer("requests", slowCount: 30_000, examples: examples)
    try await fuzzer.run { input in
      for method in Self.methods {
        let context = input.count.isMultiple(of: 2) ? owner : anybody
        _ = try? await fixture.perform(method, input, context)
      }
    }
  }
}
