import BaseStatus
import DocumentCodec
import FirestoreModel
import FirestoreWire
import ModelTestSupport
import SwiftProtobuf
import Testing

@Suite("What REST refuses, and how")
struct RESTErrorTests {
  private static let root = "/v1/projects/p/databases/(default)/documents"

  private static let bodies: [(String, String, String)] = [
    (
      ":runQuery", #"{"structuredQuery":{"extra":1}}"#,
      #"Invalid JSON payload received. Unknown name "extra" at 'structured_query': "#
        + "Cannot find field."
    ),
    (
      ":runQuery", #"{"extra":1}"#,
      #"Invalid JSON payload received. Unknown name "extra": Cannot find field."#
    ),
    (
      "/c", #"{"fields":{"a":{"integerValue":"1"},"b":{"stringvalue":""}}}"#,
      #"Invalid JSON payload received. Unknown name "stringvalue" at 'document.fields[1].value': "#
        + "Cannot find field."
    ),
    (
      "/c", #"{"fields":{"a":{"integerValue":"1","stringValue":"x"}}}"#,
      "Invalid value at 'document.fields[0].value' (oneof), oneof field 'value_type' is already "
        + "set. Cannot set 'stringValue'"
    ),
    (
      "/c", #"{"fields":{"a":"x"}}"#,
      "Invalid value at 'document.fields[0].value' "
        + #"(type.googleapis.com/google.firestore.v1.Value), "x""#
    ),
    (
      "/c", #"{"fields":{"a":{"integerValue":"1.5"}}}"#,
      #"Invalid value at 'document.fields[0].value.integer_value' (TYPE_INT64), "1.5""#
    ),
    (
      "/c", #"{"fields":{"a":{"integerValue":"9223372036854775808"}}}"#,
      "Invalid value at 'document.fields[0].value.integer_value' (TYPE_INT64), "
        + #""9223372036854775808""#
    ),
    (
      "/c", #"{"fields":{"a":{"booleanValue":"true"}}}"#,
      #"Invalid value at 'document.fields[0].value.boolean_value' (TYPE_BOOL), "true""#
    ),
    (
      "/c", #"{"fields":{"a":{"doubleValue":1e400}}}"#,
      "Invalid value at 'document.fields[0].value.double_value' (TYPE_DOUBLE), 1e400"
    ),
    (
      "/c", #"{"fields":{"a":{"bytesValue":"*"}}}"#,
      #"Invalid value at 'document.fields[0].value.bytes_value' (TYPE_BYTES), "*""#
    ),
    (
      "/c", #"{"fields":{"a":{"timestampValue":"2026-02-30T00:00:00Z"}}}"#,
      "Invalid value at 'document.fields[0].value.timestamp_value' "
        + #"(type.googleapis.com/google.protobuf.Timestamp), "2026-02-30T00:00:00Z""#
    ),
    (
      "/c", #"{"fields":{"a":{"arrayValue":{"values":{}}}}}"#,
      "Invalid value at 'document.fields[0].value.array_value.values' "
        + "(type.googleapis.com/List), {...}"
    ),
    (
      ":runQuery", #"{"structuredQuery":{"orderBy":[{"direction":"UP"}]}}"#,
      "Invalid value at 'structured_query.order_by[0].direction' "
        + #"(type.googleapis.com/google.firestore.v1.StructuredQuery.Direction), "UP""#
    ),
    (
      ":runQuery", #"{"structuredQuery":{"offset":1,"offset":2}}"#,
      #"Invalid JSON payload received. Name "offset" at 'structured_query' is set more than once."#
    ),
    (
      ":commit", #"{"writes":[{"delete":"a","verify":"b"}]}"#,
      "Invalid value at 'writes[0]' (oneof), oneof field 'operation' is already set. Cannot set "
        + "'verify'"
    ),
    (
      ":commit", #"{"writes": ["#,
      "Invalid JSON payload received. Unexpected end of string. Expected a value.\n"
        + "{\"writes\": [\n            ^"
    ),
    (":commit", "{a}", "Invalid JSON payload received. Expected an object key or }.\n{a}\n ^"),
    (":commit", "{} x", "Invalid JSON payload received. Unexpected token.\n{} x\n   ^"),
    (
      ":commit", #"{"a":01}"#,
      "Invalid JSON payload received. Expected , or } after key:value pair.\n{\"a\":01}\n      ^"
    ),
    (
      ":commit", "{\"a\":\"\\ud800\"}",
      "Invalid JSON payload received. Invalid surrogate pair.\n{\"a\":\"\\ud800\"}\n            ^"
    ),
  ]

  @Test(arguments: bodies.indices)
  func `a body`(index: Int) {
    let (path, body, message) = Self.bodies[index]
    expectError(message) {
      try RESTTranscoder()
        .call(method: "POST", path: Self.root + path, query: nil, body: Array(body.utf8))
    }
  }

  @Test func `a body that is nested without end`() throws {
    let body = Array(repeating: UInt8(ascii: "["), count: 100_000)
    #expect(throws: ServiceError.self) {
      try RESTTranscoder()
        .call(method: "POST", path: Self.root + ":commit", query: nil, body: body)
    }
  }

  @Test func `an error's body, alone and in a stream`() {
    let error = ServiceError(.aborted, "Too \"much\"", reason: .init("WHY", helpURL: "https://x"))
    let body =
      #"{"error":{"code":409,"message":"Too \"much\"","status":"ABORTED","details":["#
      + #"{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"WHY","#
      + #""domain":"firestore.googleapis.com"},"#
      + #"{"@type":"type.googleapis.com/google.rpc.Help","links":[{"url":"https://x"}]}]}}"#
    #expect(string(RESTError.body(error)) == body)
    #expect(string(RESTError.body(error, streaming: true)) == "[\(body)]")
  }

  @Test func `an unknown name is told as a bad request`() throws {
    let error = #expect(throws: ServiceError.self) {
      try RESTTranscoder()
        .call(
          method: "POST",
          path: Self.root + ":runQuery",
          query: nil,
          body: Array(#"{"structuredQuery":{"extra":1}}"#.utf8)
        )
    }
    #expect(error?.violations.map(\.field) == ["structured_query"])
    let body = string(RESTError.body(try #require(error)))
    #expect(
      body.contains(#""@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations""#)
    )
  }

  @Test(arguments: [
    (StatusCode.invalidArgument, 400), (.failedPrecondition, 400), (.outOfRange, 400),
    (.unauthenticated, 401), (.permissionDenied, 403), (.notFound, 404), (.alreadyExists, 409),
    (.aborted, 409), (.resourceExhausted, 429), (.cancelled, 499), (.unknown, 500),
    (.internalError, 500), (.dataLoss, 500), (.unimplemented, 501), (.unavailable, 503),
    (.deadlineExceeded, 504), (.ok, 200),
  ])
  func `a code's HTTP status`(code: StatusCode, status: Int) {
    #expect(code.httpStatus == status)
  }
}
