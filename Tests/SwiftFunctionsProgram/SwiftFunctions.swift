import FirebaseFunctionsServer
import Foundation

/// Functions in Swift, which tests deploy and call.
@main struct SwiftFunctions {
  private struct Sum: Codable, Sendable {
    var a: Int64
    var b: Int64?
  }

  private struct Product: Codable, Sendable {
    var name: String
    var price: Double
    var stored: Date?
    var tags: [String]?
  }

  private struct Details: Codable, Sendable { let field: String }

  private struct Made: Decodable { let name: String }

  private struct Step: Codable, Sendable { let number: Int }

  static func main() async throws {
    try await FunctionServer([
      .onRequest("echo") { request in
        print("echo of", request.path)
        return HTTPFunctionResponse(
          status: 201,
          headers: [("X-Answer", "yes"), ("X-Own", request.header("x-own") ?? "")],
          body: Data("\(request.method) \(request.path)?\(request.query) ".utf8) + request.body
        )
      },
      .onRequest("parts") { _ in
        HTTPFunctionResponse { write in
          for number in 0..<3 { try await write(Data("part \(number)\n".utf8)) }
        }
      },
      .onRequest("fails") { _ in throw CocoaError(.featureUnsupported) },
      .onCall("add") { (request: CallableFunctionRequest<Sum>) in
        guard let b = request.data.b else {
          throw FunctionError(.invalidArgument, "b is missing", details: Details(field: "b"))
        }
        return ["sum": "\(request.data.a + b)", "uid": request.auth?.uid ?? ""]
      },
      .onCall("count") { (request: CallableFunctionRequest<Int>, stream) in
        for number in 0..<request.data { try await stream.send(Step(number: number)) }
        return "done"
      },
      .onDocumentWritten("written", "products/{product}", as: Product.self) { event in
        try await note("written", event.params["product"] ?? "", event.before, event.after)
      },
      .onUserCreated("greeted") { event in
        try await note("greeted", event.data.uid, event.data.email ?? "", event.id)
      },
      .onUserDeleted("missed") { event in
        try await note("missed", event.data.uid, event.data.displayName ?? "", event.id)
      },
      .onKeyEvent("bought", event: "purchase") { event in
        let value = event.data.params["value"].map { "\($0)" } ?? ""
        try await note("bought", event.data.userID ?? "", value, event.id)
      },
      .beforeUserCreated("admits") { event in
        guard event.user.email?.hasSuffix("@evil.example") != true else {
          throw FunctionError(.permissionDenied, "no evil")
        }
        // An error that is none of ours refuses without a reason.
        if event.user.email?.hasPrefix("broken") == true { throw CocoaError(.featureUnsupported) }
        var response = BeforeCreateResponse()
        response.displayName = "Named"
        response.customClaims = ["plan": "gold"]
        return response
      },
      .beforeUserSignedIn("watches") { event in
        guard event.user.displayName == "Named" else { return nil }
        var response = BeforeSignInResponse()
        response.sessionClaims = ["method": event.signInMethod]
        return response
      },
      .onTaskDispatched("resized", as: Sum.self) { _ in },
      .onSchedule("swept", "every 5 minutes", timeZone: "America/Sao_Paulo") { _ in },
    ]).run()
  }

  /// Writes down what a function saw, where the test reads it.
  private static func note(
    _ kind: String,
    _ id: String,
    _ before: Product?,
    _ after: Product?
  ) async throws {
    func text(_ product: Product?) throws -> [String: String] {
      guard let product else { return ["stringValue": ""] }
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys]
      encoder.dateEncodingStrategy = .secondsSince1970
      return ["stringValue": String(decoding: try encoder.encode(product), as: UTF8.self)]
    }
    try await write([
      "kind": ["stringValue": kind], "id": ["stringValue": id], "before": try text(before),
      "after": try text(after),
    ])
  }

  private static func note(
    _ kind: String,
    _ id: String,
    _ text: String,
    _ event: String
  ) async throws {
    try await write([
      "kind": ["stringValue": kind], "id": ["stringValue": id], "text": ["stringValue": text],
      "event": ["stringValue": event],
    ])
  }

  private static func write(_ fields: [String: [String: String]]) async throws {
    let server = try ServerAPI()
    _ = try await server.call(
      "POST",
      "/v1/projects/\(server.project)/databases/(default)/documents/seen",
      body: ["fields": fields],
      as: Made.self
    )
  }
}
