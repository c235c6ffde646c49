import Foundation
import Testing

@testable import RESTClient

@Suite struct `Request errors` {
  @Test(arguments: [
    (#"{"error":{"code":400,"message":"Ops!"}}"#, "application/json", "Ops!"),
    (#"{"status":404,"message":"Não encontrado!"}"#, "application/json", "Não encontrado!"),
    (#"{"error":"CPF já registrado!"}"#, "application/json", "CPF já registrado!"),
    (#"{"message":"Especialista apagado!"}"#, "application/json", "Especialista apagado!"),
    (#""Não encontramos pacientes""#, "application/json", "Não encontramos pacientes"),
    (
      #"{"error":"invalid_grant","error_description":"Bad credentials"}"#, "application/json",
      "Bad credentials"
    ),
    ("Product X not found", "text/plain; charset=utf-8", "Product X not found"),
  ])
  func `keep the server's message in every shape`(
    body: String,
    type: String,
    text: String
  )
    async throws
  {
    let client = HTTPClient(
      baseURL: try #require(URL(string: "http://example.test")),
      transport: ScriptedTransport { _ in
        HTTPReply(status: 400, headers: ["content-type": type], body: Data(body.utf8))
      }
    )
    let error = await #expect(throws: RequestError.self) {
      try await client.send(Endpoint<Void>(.get, "x"))
    }
    #expect(error == RequestError(.refused, status: 400, serverMessage: text))
  }

  @Test(arguments: ["", "{}", "[]", "<html>", #"{"error":{"code":1}}"#, #"{"error":{}}"#, "12"])
  func `have no message when the server sent none`(body: String) {
    let reply = HTTPReply(
      status: 500,
      headers: ["content-type": "text/html"],
      body: Data(body.utf8)
    )
    #expect(RequestError(reply) == RequestError(.server, status: 500))
  }

  @Test(arguments: [
    (401, RequestError.Code.unauthorized), (403, .refused), (503, .server), (302, .unexpected),
  ])
  func `are told apart by status`(status: Int, code: RequestError.Code) {
    #expect(RequestError(HTTPReply(status: status)).code == code)
  }

  @Test func `a success that does not decode is a decode error`() async throws {
    let client = HTTPClient(
      baseURL: try #require(URL(string: "http://example.test")),
      transport: ScriptedTransport { _ in HTTPReply(status: 200, body: Data("{".utf8)) }
    )
    let error = await #expect(throws: RequestError.self) {
      try await client.send(Endpoint<[String]>(.get, "x"))
    }
    #expect(error?.code == .decode)
  }
}
