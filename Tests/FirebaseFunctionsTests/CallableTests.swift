import FirebaseCore
import Foundation
import SDKTestSupport
import Testing

@testable import FirebaseFunctions

/// Callable functions, as servers answer them.
struct CallableTests {
  private struct Greeting: Codable, Equatable {
    let text: String
    let count: Int64
  }

  private static func app(_ host: String) throws -> FirebaseApp {
    let name = "t-\(UUID().uuidString.lowercased())"
    let options = FirebaseOptions(googleAppID: "1:42:linux:ab", gcmSenderID: "42")
    (options.projectID, options.apiKey) = ("shop", "shop")
    options.brasaHost = host
    return try FirebaseApp.configured(name: name, options: options)
  }

  @Test func `a call sends data and returns the result`() async throws {
    let server = try AnsweringServer { _ in
      .init(
        200,
        body: """
          {"result": {"text": "Hello Ada", "count": {"@type": \
          "type.googleapis.com/google.protobuf.Int64Value", "value": "9007199254740993"}}}
          """
      )
    }
    defer { server.stop() }
    let functions = Functions.functions(app: try Self.app(server.url), region: "europe-west1")
    let greet = functions.httpsCallable(
      "greet",
      requestAs: [String: String].self,
      responseAs: Greeting.self
    )
    let greeting = try await greet(["name": "Ada"])
    #expect(greeting == Greeting(text: "Hello Ada", count: 9_007_199_254_740_993))
    let request = try #require(server.requests.first)
    #expect(request.line == "POST /shop/europe-west1/greet HTTP/1.1")
    #expect(request.headers["content-type"] == "application/json")
    #expect(request.headers["authorization"] == nil)
    let body = try JSONSerialization.jsonObject(with: request.body) as? [String: [String: String]]
    #expect(body == ["data": ["name": "Ada"]])
  }

  @Test func `a refusal has the function's code, text and details`() async throws {
    let server = try AnsweringServer { _ in
      .init(
        400,
        body: """
          {"error": {"status": "FAILED_PRECONDITION", "message": "sold out", "details": {"left": 0}}}
          """
      )
    }
    defer { server.stop() }
    let callable = Functions.functions(app: try Self.app(server.url)).httpsCallable("buy")
    let error = await #expect(throws: NSError.self) { try await callable.call(["id": 1]) }
    #expect(error?.domain == FunctionsErrorDomain)
    #expect(error?.code == FunctionsErrorCode.failedPrecondition.rawValue)
    #expect(error?.localizedDescription == "sold out")
    let details = error?.userInfo[FunctionsErrorDetailsKey] as? [String: Any]
    #expect((details?["left"] as? NSNumber)?.intValue == 0)
  }

  @Test(arguments: [(404, FunctionsErrorCode.notFound), (503, .unavailable), (200, .internal)])
  func `a response that is none has a code`(_ status: Int, _ code: FunctionsErrorCode) async throws
  {
    let server = try AnsweringServer { _ in .init(status, body: "none") }
    defer { server.stop() }
    let callable = Functions.functions(app: try Self.app(server.url)).httpsCallable("buy")
    let error = await #expect(throws: NSError.self) { try await callable.call() }
    #expect(error?.code == code.rawValue)
  }

  @Test func `a function's address follows the emulator, the domain and the server`() throws {
    let app = try Self.app("https://brasa.example.com")
    #expect(
      Functions.functions(app: app).url(of: "f").absoluteString
        == "https://brasa.example.com/shop/us-central1/f"
    )
    #expect(
      Functions.functions(app: app, customDomain: "https://api.example.com").url(of: "f")
        .absoluteString == "https://api.example.com/f"
    )
    let emulated = Functions.functions(app: app, region: "us-east1")
    emulated.useEmulator(withHost: "localhost", port: 5001)
    #expect(emulated.url(of: "f").absoluteString == "http://localhost:5001/shop/us-east1/f")
    #expect(Functions.functions(app: app, region: "us-east1") === emulated)
  }

  @Test func `numbers that JSON can't hold are sent by their type, and others refused`() throws {
    func sent(_ value: Any) throws -> String {
      String(decoding: try CallableValue.body(of: value), as: UTF8.self)
    }
    #expect(try sent(7) == #"{"data":7}"#)
    #expect(try sent(true) == #"{"data":true}"#)
    #expect(try sent(Int64.max).contains("Int64Value"))
    #expect(try sent(UInt64.max).contains("UInt64Value"))
    #expect(throws: NSError.self) { try sent(Double.nan) }
    #expect(throws: NSError.self) { try sent(Date()) }
  }
}
