import FirebaseCore
import Foundation
import SDKTestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// HTTP of all services.
@Suite(.timeLimit(.minutes(10)))
struct HTTPClientTests {
  private let client = HTTPClient(label: "tests")

  @Test func `a redirect is the answer and not followed`() async throws {
    let target = try AnsweringServer.accepting()
    defer { target.stop() }
    let server = try AnsweringServer.redirecting(to: target.port)
    defer { server.stop() }
    var request = URLRequest(url: try #require(URL(string: "\(server.url)/a")))
    request.setValue("Bearer secret", forHTTPHeaderField: "Authorization")
    #expect(try await client.answer(to: request).status == 307)
    request.httpMethod = "POST"
    request.httpBody = Data("abc".utf8)
    #expect(try await client.answer(to: request).status == 307)
    #expect(server.requests.count == 2 && target.requests.isEmpty)
    client.shutDown()
  }

  @Test func `a request whose connection breaks under it ends as one that was lost`() async throws {
    let server = try BrasaServer.shared.get()
    // So that each first, second and third request of a connection is cut somewhere.
    let proxy = try CuttingProxy(to: server.port) { 100 + 25 * $0 }
    let documents = "projects/cut/databases/(default)/documents"
    let url = URL(string: "http://127.0.0.1:\(proxy.port)/v1/\(documents):batchGet")
    var request = URLRequest(url: try #require(url))
    request.httpMethod = "POST"
    request.httpBody = Data("{\"documents\": [\"\(documents)/counters/c\"]}".utf8)
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    var answerCount = 0
    while proxy.cutCount < 60 {
      do {
        if try await client.answer(to: request).status == 200 { answerCount += 1 }
      } catch let error as URLError {
        #expect(error.code != .cancelled)
      }
    }
    #expect(answerCount > 0)
    client.shutDown()
    proxy.stop()
  }

  @Test func `who cancels a request is told so at once`() async throws {
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let gate = DispatchSemaphore(value: 0)
    let server = try AnsweringServer { _ in
      arrived.yield()
      gate.wait()
      return AnsweringServer.Answer(200)
    }
    defer { server.stop() }
    let request = URLRequest(url: try #require(URL(string: server.url)))
    let asking = Task { [client] in try await client.answer(to: request) }
    for await _ in arrivals { break }
    asking.cancel()
    let isCancelled: Bool
    do {
      _ = try await asking.value
      isCancelled = false
    } catch {
      isCancelled = error is CancellationError
    }
    #expect(isCancelled)
    gate.signal()
    client.shutDown()
  }

  @Test func `a request is cancelled or its client shut down as its answer comes`() async throws {
    let server = try AnsweringServer.accepting()
    defer { server.stop() }
    let request = URLRequest(url: try #require(URL(string: server.url)))
    for round in 0..<300 {
      let own = HTTPClient(label: "tests.own")
      let (events, told) = AsyncStream.makeStream(of: HTTPEvent.self)
      let call = own.send(request) { told.yield($0) }
      for await event in events {
        switch event {
        case .response where round % 3 == 0: call?.cancel()
        case .data where round % 3 == 1: own.shutDown()
        case .end: told.finish()
        default: break
        }
      }
      own.shutDown()
    }
    #expect(server.requests.count <= 300)
  }

  @Test func `an answer is collected up to a limit`() async throws {
    let server = try AnsweringServer { _ in AnsweringServer.Answer(200, body: "12345678") }
    defer { server.stop() }
    let request = URLRequest(url: try #require(URL(string: server.url)))
    #expect(try await client.answer(to: request, limit: 8).body == Data("12345678".utf8))
    await #expect(throws: HTTPClient.AnswerTooLarge.self) {
      try await client.answer(to: request, limit: 7)
    }
    client.shutDown()
  }
}
