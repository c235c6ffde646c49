import BaseJSON
import DocumentCodec
import Foundation
import Testing

@testable import FirebaseFunctionsServer

/// Functions without a host.
@Suite struct FunctionTests {
  private struct Product: Codable, Sendable, Equatable {
    var name: String
    var price: Double
    var count: Int64
    var made: Date
    var icon: Data
    var tags: [String]
  }

  private static func request(
    _ headers: [(name: String, value: String)],
    _ body: Data,
    method: String = "POST"
  ) -> HTTPFunctionRequest {
    HTTPFunctionRequest(method: method, path: "/", query: "", headers: headers, body: body)
  }

  private static func body(_ response: HTTPFunctionResponse) -> String {
    guard case .bytes(let data) = response.body else { return "a stream" }
    return String(decoding: data, as: UTF8.self)
  }

  /// A field of a protobuf message.
  private static func field(_ number: Int, _ bytes: [UInt8]) -> [UInt8] {
    varint(UInt64(number << 3 | 2)) + varint(UInt64(bytes.count)) + bytes
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + varint(value >> 7)
  }

  private static func text(_ text: String) -> [UInt8] { field(17, Array(text.utf8)) }

  private static func document(_ fields: [(String, [UInt8])]) -> [UInt8] {
    fields.flatMap { field(2, field(1, Array($0.0.utf8)) + field(2, $0.1)) }
  }

  private static let product = document([
    ("name", text("Chair")), ("price", varint(3 << 3 | 1) + [0, 0, 0, 0, 0, 0, 0x24, 0x40]),
    ("count", varint(2 << 3) + varint(9_007_199_254_740_993)),
    ("made", field(10, varint(1 << 3) + varint(1_000) + varint(2 << 3) + varint(500_000_000))),
    ("icon", field(18, [1, 2, 3])), ("tags", field(9, field(1, text("a")) + field(1, text("b")))),
  ])

  private static let headers: [(name: String, value: String)] = [
    ("ce-id", "1"), ("ce-type", "google.cloud.firestore.document.v1.written"),
    ("ce-time", "2026-11-28T23:30:45.572116Z"), ("ce-document", "products/chair"),
    ("content-type", "application/protobuf"),
  ]

  @Test func `a document is decoded into the function's type`() async throws {
    let function = Function.onDocumentWritten("f", "products/{id}", as: Product.self) { event in
      #expect(event.before == nil)
      #expect(
        event.after
          == Product(
            name: "Chair",
            price: 10,
            count: 9_007_199_254_740_993,
            made: Date(timeIntervalSince1970: 1_000.5),
            icon: Data([1, 2, 3]),
            tags: ["a", "b"]
          )
      )
      #expect(event.params == ["id": "chair"])
      #expect(abs(event.time.timeIntervalSince1970 - 1_795_908_645.572) < 0.01)
    }
    let data = Data(Self.field(1, Self.product))
    #expect(try await function.respond(Self.request(Self.headers, data)).status == 204)
    // The structured mode, for names that no header can carry.
    let structured = JSONValue.object([
      .init("id", .string("1")), .init("type", .string("t")),
      .init("document", .string("products/chair")),
      .init("time", .string("2026-11-28T23:30:45.572116Z")),
      .init("data_base64", .string(data.base64EncodedString())),
    ])
    let request = Self.request(
      [("Content-Type", "application/cloudevents+json")],
      Data(structured.compactBytes)
    )
    #expect(try await function.respond(request).status == 204)
  }

  @Test func `a document of another form fails the delivery`() async {
    let function = Function.onDocumentWritten("f", "products/{id}", as: [String: Int].self) { _ in
      Issue.record("it was called")
    }
    for bytes in [Self.field(1, Self.product), [0xff, 0xff], Self.field(1, [10, 200])] {
      await #expect(throws: (any Error).self) {
        try await function.respond(Self.request(Self.headers, Data(bytes)))
      }
    }
    await #expect(throws: FunctionError.self) {
      try await function.respond(Self.request([], Data()))
    }
  }

  @Test(arguments: [
    ("a/{x}/b/{y}", "a/1/b/2", ["x": "1", "y": "2"]),
    ("a/{x=**}", "a/1/b/2", ["x": "1/b/2"]),
    ("{x=**}/b/{y}", "a/1/b/2", ["x": "a/1", "y": "2"]),
    ("a/user-{n}.x", "a/user-7.x", ["n": "7"]),
    ("a/{x=*}", "a/1", ["x": "1"]),
    ("a/b", "a/b", [:]),
  ])
  func `a pattern names parts of a path`(
    _ pattern: String,
    _ path: String,
    _ params: [String: String]
  ) {
    #expect(DocumentPattern(pattern).params(of: path) == params)
  }

  @Test func `a callable function takes its protocol alone`() async throws {
    let function = Function.onCall("f") { (request: CallableFunctionRequest<Int64>) in
      guard request.data > 0 else { throw FunctionError(.outOfRange, "too small", details: [1]) }
      if request.data == 13 { throw CocoaError(.featureUnsupported) }
      return request.data + 1
    }
    func call(_ body: String) async throws -> (Int, String) {
      let response = try await function.respond(Self.request([], Data(body.utf8)))
      return (response.status, Self.body(response))
    }
    #expect(try await call("{\"data\":1}") == (200, "{\"result\":2}"))
    let wide =
      "{\"data\":{\"@type\":\"type.googleapis.com/google.protobuf.Int64Value\",\"value\":\"9\"}}"
    #expect(try await call(wide) == (200, "{\"result\":10}"))
    for wrong in ["", "{}", "1", "{\"data\":1,\"more\":2}", "{\"data\":\"text\"}"] {
      let (status, body) = try await call(wrong)
      #expect(status == 400 && body.contains("INVALID_ARGUMENT"), "\(wrong)")
    }
    let refused = try await call("{\"data\":0}")
    #expect(refused.0 == 400)
    #expect(
      refused.1
        == "{\"error\":{\"status\":\"OUT_OF_RANGE\",\"message\":\"too small\",\"details\":[1]}}"
    )
    // The reason of a failure is for the log.
    let failed = try await call("{\"data\":13}")
    #expect(failed == (500, "{\"error\":{\"status\":\"INTERNAL\",\"message\":\"INTERNAL\"}}"))
    let options = Self.request([("Origin", "https://shop.example")], Data(), method: "OPTIONS")
    let preflight = try await function.respond(options)
    #expect(preflight.status == 204)
    #expect(preflight.headers.contains { $0.value == "https://shop.example" })
  }

  @Test func `a manifest says what calls each function`() throws {
    var options = FunctionOptions()
    options.regions = ["europe-west1"]
    options.secrets = ["API_KEY"]
    options.memoryMegabytes = 512
    options.retries = true
    let manifest = FunctionServer([
      .onDocumentCreated("made", "a/{b}", as: [String: String].self, options: options) { _ in },
      .onSchedule("swept", "every 5 minutes") { _ in },
    ]).manifest
    #expect(
      manifest["endpoints"]?["made"]?.compact == """
        {"entryPoint":"made","platform":"gcfv2","region":["europe-west1"],"availableMemoryMb":512,\
        "secretEnvironmentVariables":[{"key":"API_KEY"}],"eventTrigger":{"eventType":\
        "google.cloud.firestore.document.v1.created","eventFilters":{"database":"(default)",\
        "namespace":"(default)"},"eventFilterPathPatterns":{"document":"a/{b}"},"retry":true}}
        """
    )
    #expect(
      manifest["endpoints"]?["swept"]?["scheduleTrigger"]?["schedule"]?.string == "every 5 minutes"
    )
  }
}
