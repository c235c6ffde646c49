import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A server on this machine that answers every request as a test says, however wrong that is.
///
/// A connection ends with its first response. A thread a connection.
package final class AnsweringServer: Sendable {
  /// A request.
  package struct Request: Sendable {
    /// The method, the target and the version.
    package let line: String
    /// By names in lower case.
    package let headers: [String: String]
    /// The port on which the server listens.
    package let port: Int
    /// Its body.
    package let body: Data
  }

  /// A response with a body of JSON, or none.
  package struct Answer: Sendable {
    let status: Int
    let headers: [(name: String, value: String)]
    let body: String

    /// A response of a status.
    package init(_ status: Int, _ headers: [(name: String, value: String)] = [], body: String = "")
    {
      (self.status, self.headers, self.body) = (status, headers, body)
    }

    var bytes: ArraySlice<UInt8> {
      var text =
        "HTTP/1.1 \(status) Answer\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n"
      for (name, value) in headers { text += "\(name): \(value)\r\n" }
      return Array("\(text)\r\n\(body)".utf8)[...]
    }
  }

  /// The port on which it listens.
  package let port: Int
  /// Scheme, host and port.
  package var url: String { "http://127.0.0.1:\(port)" }
  private let listener: Int32
  private let answer: @Sendable (Request) -> Answer
  private let seen = Mutex<[Request]>([])

  /// A server that answers so.
  package init(_ answer: @escaping @Sendable (Request) -> Answer) throws {
    self.answer = answer
    (listener, port) = try CuttingProxy.listen()
    Thread.detachNewThread { [self] in acceptAll() }
  }

  /// A server that sends all who ask to another port.
  package static func redirecting(to port: Int) throws -> AnsweringServer {
    try AnsweringServer { _ in
      Answer(307, [(name: "Location", value: "http://127.0.0.1:\(port)/elsewhere")])
    }
  }

  /// A server that answers all with an empty object of JSON.
  package static func accepting() throws -> AnsweringServer {
    try AnsweringServer { _ in Answer(200, body: "{}") }
  }

  /// The requests so far.
  package var requests: [Request] { seen.withLock { $0 } }

  /// Takes no further connections.
  package func stop() { _ = shutdown(listener, Int32(SHUT_RDWR)) }

  private func acceptAll() {
    while true {
      let client = accept(listener, nil, nil)
      if client < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        break
      }
      Thread.detachNewThread { [self] in serve(client) }
    }
    _ = close(listener)
  }

  private func serve(_ client: Int32) {
    if let request = read(client) {
      seen.withLock { $0.append(request) }
      _ = CuttingProxy.write(answer(request).bytes, to: client)
      _ = shutdown(client, Int32(SHUT_WR))
      // Bytes that nobody read would reset the connection and take the response with it.
      var rest = [UInt8](repeating: 0, count: 1_024)
      while recv(client, &rest, rest.count, 0) > 0 {}
    }
    _ = close(client)
  }

  /// Reads a request with its body; nil where the client ends before.
  private func read(_ client: Int32) -> Request? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while true {
      if let (request, length) = parse(bytes), bytes.count >= length { return request }
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { return nil }
      bytes += buffer[..<count]
    }
  }

  /// The request and how many bytes it has; nil before its head is there.
  private func parse(_ bytes: [UInt8]) -> (Request, length: Int)? {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      headers[line[..<colon].lowercased()] = value
    }
    let length = headers["content-length"].flatMap { Int($0) } ?? 0
    let head = text[..<end.upperBound].utf8.count
    let body = Data(bytes.dropFirst(head).prefix(length))
    return (Request(line: lines[0], headers: headers, port: port, body: body), head + length)
  }
}
