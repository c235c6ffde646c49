import BaseStatus
import DocumentStore
import FirestoreModel
import FirestoreWire
import Testing

@testable import Access
@testable import FirestoreService

struct FirestoreServiceTests {
  private static let document = "projects/p/databases/(default)/documents/c"

  private func filled(_ count: Int, text: Int = 10) async throws -> ServiceFixture {
    let fixture = try ServiceFixture()
    for number in 0..<count {
      let value = String(repeating: "x", count: text)
      let body = #"{"fields":{"n":{"integerValue":\#(number)},"t":{"stringValue":"\#(value)"}}}"#
      _ = try await fixture.call("POST", "/c?documentId=d\(number)", body)
    }
    return fixture
  }

  @Test func `a result of many parts comes whole and ends`() async throws {
    let fixture = try await filled(20, text: 5_000)
    let query = try RESTTranscoder().call(
      method: "POST",
      path: ServiceFixture.root + ":runQuery",
      query: nil,
      body: Array(#"{"structuredQuery":{"from":[{"collectionId":"c"}]}}"#.utf8)
    )
    let request = try #require(query).request
    for maxBytes in [1, 4_000, 12_000, 100_000, 1 << 20] {
      let messages = try await fixture.messages(
        .runQuery,
        request,
        ServiceFixture.context(),
        maxBytes: maxBytes
      )
      let documents = try messages.filter {
        let json = try RESTTranscoder().json(of: .runQuery, response: $0)
        return String(decoding: json, as: UTF8.self).contains("\"document\"")
      }
      #expect(documents.count == 20, "\(maxBytes)")
    }
    fixture.close()
  }

  @Test func `an empty result still tells its read time`() async throws {
    let fixture = try await filled(1)
    let body = #"{"structuredQuery":{"from":[{"collectionId":"none"}]}}"#
    let answer = try await fixture.call("POST", ":runQuery", body)
    #expect(answer.count == 1)
    #expect(answer.first?.hasPrefix("{\"readTime\":\"") == true)
    fixture.close()
  }

  @Test func `a new transaction is told first and alone`() async throws {
    let fixture = try await filled(2)
    let body =
      #"{"structuredQuery":{"from":[{"collectionId":"c"}]},"newTransaction":{"readWrite":{}}}"#
    let answer = try await fixture.call("POST", ":runQuery", body)
    #expect(answer.count == 3)
    #expect(answer[0].hasPrefix("{\"transaction\":\"") && !answer[0].contains("readTime"))
    #expect(answer[1].contains("/c/d0") && answer[2].contains("/c/d1"))
    fixture.close()
  }

  @Test func `what the offset skips is counted`() async throws {
    let fixture = try await filled(3)
    let body = #"{"structuredQuery":{"from":[{"collectionId":"c"}],"offset":2}}"#
    let answer = try await fixture.call("POST", ":runQuery", body)
    #expect(answer.count == 1 && answer[0].contains("\"skippedResults\":2"))
    let all = #"{"structuredQuery":{"from":[{"collectionId":"c"}],"offset":9}}"#
    let nothing = try await fixture.call("POST", ":runQuery", all)
    #expect(nothing.count == 1 && nothing[0].contains("\"skippedResults\":3"))
    fixture.close()
  }

  @Test func `explain comes with the last document, or alone where nothing is to run`() async throws
  {
    let fixture = try await filled(2)
    let query = #""structuredQuery":{"from":[{"collectionId":"c"}]}"#
    let run = try await fixture.call(
      "POST",
      ":runQuery",
      "{\(query),\"explainOptions\":{\"analyze\":true}}"
    )
    #expect(run.count == 2 && run.allSatisfy { $0.contains("\"document\"") })
    #expect(run.first?.contains("resultsReturned") == false)
    #expect(run.last?.contains("\"resultsReturned\":\"2\"") == true)
    let plan = try await fixture.call("POST", ":runQuery", "{\(query),\"explainOptions\":{}}")
    #expect(plan.count == 1 && plan[0].contains("(__name__ ASC)"))
    #expect(!plan[0].contains("resultsReturned"))
    fixture.close()
  }

  @Test func `a batch get answers found documents before missing ones, each once`() async throws {
    let fixture = try await filled(2)
    let names = ["zz", "d1", "yy", "d0", "zz", "d1"].map { "\"\(Self.document)/\($0)\"" }
    let body = "{\"documents\":[\(names.joined(separator: ","))]}"
    let answer = try await fixture.call("POST", ":batchGet", body)
    #expect(answer.count == 4)
    #expect(answer[0].contains("\"found\"") && answer[0].contains("/c/d1"))
    #expect(answer[1].contains("\"found\"") && answer[1].contains("/c/d0"))
    #expect(answer[2].contains("\"missing\":\"\(Self.document)/zz\""))
    #expect(answer[3].contains("\"missing\":\"\(Self.document)/yy\""))
    fixture.close()
  }

  @Test func `explain of a nearest-neighbour query names its index with the vector`() async throws {
    let fixture = try await filled(1)
    let definitions = """
      {"indexes":[{"collectionGroup":"c","queryScope":"COLLECTION","fields":[
      {"fieldPath":"color","order":"ASCENDING"},
      {"fieldPath":"embedding","vectorConfig":{"dimension":3,"flat":{}}}]}]}
      """
    try fixture.databases.database(DatabaseID(project: "p")).apply(.init(parsing: definitions))
    while try fixture.databases.performMaintenance() {}
    let vector =
      #"{"mapValue":{"fields":{"__type__":{"stringValue":"__vector__"},"value":"#
      + #"{"arrayValue":{"values":[{"doubleValue":1},{"doubleValue":2},{"doubleValue":3}]}}}}}"#
    let nearest =
      #""findNearest":{"vectorField":{"fieldPath":"embedding"},"queryVector":\#(vector),"#
      + #""distanceMeasure":"EUCLIDEAN","limit":2}"#
    let filter =
      #""where":{"fieldFilter":{"field":{"fieldPath":"color"},"op":"EQUAL","#
      + #""value":{"stringValue":"red"}}},"#
    for (filter, index) in [
      (filter, "(color ASC, __name__ ASC, embedding VECTOR<3>)"),
      ("", "(__name__ ASC, embedding VECTOR<3>)"),
    ] {
      let answer = try await fixture.call(
        "POST",
        ":runQuery",
        #"{"structuredQuery":{"from":[{"collectionId":"c"}],\#(filter)\#(nearest)},"#
          + #""explainOptions":{}}"#
      )
      #expect(answer.last?.contains("\"\(index)\"") == true, "\(answer)")
    }
    fixture.close()
  }

  @Test func `an aggregation is billed one read for a thousand index entries`() async throws {
    let fixture = try await filled(3)
    let body =
      #"{"structuredAggregationQuery":{"aggregations":[{"alias":"a","count":{}}],"#
      + #""structuredQuery":{"from":[{"collectionId":"c"}]}},"explainOptions":{"analyze":true}}"#
    let answer = try await fixture.call("POST", ":runAggregationQuery", body).joined()
    #expect(answer.contains(#""readOperations":"1""#), "\(answer)")
    #expect(answer.contains(#""index_entries_billable":"3""#), "\(answer)")
    #expect(answer.contains(#""documents_billable":"0""#), "\(answer)")
    let billed = [0, 1, 1_000, 1_001, 2_500].map { QueryStatistics.readOperations(forEntries: $0) }
    #expect(billed == [1, 1, 1, 2, 3])
    fixture.close()
  }

  @Test func `a call that nobody waits for is not answered with data`() async throws {
    let fixture = try await filled(1)
    let cancellation = Cancellation()
    cancellation.cancel()
    let contexts: [(CallContext, StatusCode)] = [
      (ServiceFixture.context(cancellation: cancellation), .cancelled),
      (ServiceFixture.context(deadline: .now - .seconds(1)), .deadlineExceeded),
    ]
    for (context, code) in contexts {
      let error = await #expect(throws: ServiceError.self) {
        try await fixture.call("GET", "/c/d0", context: context)
      }
      #expect(error?.code == code)
    }
    fixture.close()
  }

  @Test func `empty pipelines and streams are refused by what they are`() async throws {
    let fixture = try await filled(0)
    let pipeline = await #expect(throws: ServiceError.self) {
      try await fixture.call("POST", ":executePipeline", #"{"structuredPipeline":{}}"#)
    }
    #expect(pipeline?.code == .invalidArgument)
    #expect(pipeline?.message.contains("no stages") == true)
    for method in [RPCMethod.listen, .write] {
      let error = await #expect(throws: ServiceError.self) {
        try await fixture.messages(method, [], ServiceFixture.context())
      }
      #expect(error?.code == .unimplemented)
    }
    fixture.close()
  }
}
