import ExampleTesting
import Foundation
import Hummingbird
import ServiceHost
import Testing

@testable import RESTClient

@Suite struct `The URLSession transport` {
  private let gate = Gate()

  private func router() -> Router<BasicRequestContext> {
    let router = Router()
    router.get("slow") { _, _ -> Response in
      await gate.wait()
      return Response(status: .ok)
    }
    router.post("echo") { request, _ in
      let body = try await request.body.collect(upTo: 1000)
      return Response(
        status: .created,
        headers: [.contentType: "text/plain"],
        body: .init(byteBuffer: body)
      )
    }
    return router
  }

  @Test func `carries bodies and statuses`() async throws {
    try await withServer(router()) { url in
      let reply = try await raw(.post, url, "/echo", body: "olá")
      #expect(reply.status == 201)
      #expect(reply.text == "olá")
    }
  }

  @Test func `gives up after the timeout`() async throws {
    try await withServer(router()) { url in
      let client = HTTPClient(baseURL: url, timeout: .seconds(1))
      let error = await #expect(throws: RequestError.self) {
        try await client.send(Endpoint<Void>(.get, "slow"))
      }
      #expect(error?.code == .timedOut)
      gate.open()
    }
  }

  @Test func `stops when the task is cancelled`() async throws {
    try await withServer(router()) { url in
      let client = HTTPClient(baseURL: url)
      let task = Task { try await client.send(Endpoint<Void>(.get, "slow")) }
      task.cancel()
      let error = await #expect(throws: RequestError.self) { try await task.value }
      #expect(error?.code == .cancelled)
      gate.open()
    }
  }

  @Test func `a refused connection is a transport error`() async throws {
    let gone = try await withServer(router()) { $0 }
    let error = await #expect(throws: RequestError.self) {
      try await HTTPClient(baseURL: gone).send(Endpoint<Void>(.get, "x"))
    }
    #expect(error?.code == .transport)
    #expect(error?.isTemporary == true)
  }
}
