import Foundation
import HTTPTypes
import NIOCore
import ServiceModule
import Testing

@testable import Gateway

/// Answers whose bytes are an open file's.
@Suite struct FileAnswerTests {
  /// A file that is open, and a route that sends it.
  ///
  ///     GET /file        the file, in parts where the connection takes them; the header `x-way` says which way
  ///     GET /unsized     the same without a length
  private final class OpenFile: Sendable {
    let bytes: [UInt8]
    private let path: String
    private let handle: FileHandle
    /// An element for each response that broke off.
    let failures: AsyncStream<Void>
    private let failed: AsyncStream<Void>.Continuation

    private let partBytes: Int

    init(count: Int, partBytes: Int = 300_000) throws {
      self.partBytes = partBytes
      (failures, failed) = AsyncStream.makeStream()
      bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
      path = NSTemporaryDirectory() + "file-answer-\(UUID().uuidString)"
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    }

    func removeFile() throws { try FileManager.default.removeItem(atPath: path) }

    var module: ServiceModule {
      var module = ServiceModule("file")
      module.routes = [
        HTTPRoute(.get, "/file", for: .clients) { _ in self.answer(isSized: true) },
        HTTPRoute(.get, "/unsized", for: .clients) { _ in self.answer(isSized: false) },
      ]
      return module
    }

    private func answer(isSized: Bool) -> ServiceResponse {
      var headers: HTTPFields = [:]
      if isSized { headers[.contentLength] = "\(bytes.count)" }
      return ServiceResponse(
        headers: headers,
        body: .stream { writer in
          guard let files = writer.files else {
            try await writer.write(Array("bytes\n".utf8) + self.bytes.dropFirst(6))
            return
          }
          do {
            try await self.send(to: files)
          } catch {
            self.failed.yield()
            throw error
          }
        }
      )
    }

    private func send(to files: any ServiceFileWriter) async throws {
      for start in stride(from: 0, to: bytes.count, by: partBytes) {
        let range = Int64(start)..<Int64(min(start + partBytes, bytes.count))
        let descriptor = handle.fileDescriptor
        try await files.write(OpenFilePart(descriptor: descriptor, range: range, owner: self))
      }
    }

    /// The bytes that are sent if a connection takes no files.
    var asBytes: [UInt8] { Array("bytes\n".utf8) + bytes.dropFirst(6) }
  }

  private static func get(_ path: String) -> String { "GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n" }

  /// Returns the bytes after a response's head, once there are that many.
  private static func body(_ client: RawClient, _ count: Int) async -> [UInt8] {
    let end = Array("\r\n\r\n".utf8)
    var start: Int?
    let all = await client.receive { bytes in
      start = start ?? bytes.firstRange(of: end)?.upperBound
      return start.map { bytes.count >= $0 + count } ?? false
    }
    return start.map { Array(all[$0...]) } ?? []
  }

  @Test func `an open file is sent in parts, and the connection goes on`() async throws {
    let file = try OpenFile(count: 1_000_000)
    try await withGateway(modules: [file.module]) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      for _ in 0..<3 {
        try await client.send(Self.get("/file"))
        #expect(await Self.body(client, file.bytes.count) == file.bytes)
      }
    }
    try file.removeFile()
  }

  @Test func `a file that is removed while it is open is sent whole`() async throws {
    let file = try OpenFile(count: 1_000_000)
    try file.removeFile()
    try await withGateway(modules: [file.module]) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      try await client.send(Self.get("/file"))
      #expect(await Self.body(client, file.bytes.count) == file.bytes)
    }
  }

  @Test func `requests in a pipeline are answered in their order`() async throws {
    let file = try OpenFile(count: 100_000)
    try file.removeFile()
    try await withGateway(modules: [file.module]) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      try await client.send(Self.get("/file") + Self.get("/healthz"))
      let all = await Self.body(client, file.bytes.count + 20)
      #expect(Array(all.prefix(file.bytes.count)) == file.bytes)
      let next = String(decoding: all.dropFirst(file.bytes.count), as: UTF8.self)
      #expect(next.hasPrefix("HTTP/1.1 200 OK"))
    }
  }

  @Test func `an answer without a length has bytes alone`() async throws {
    let file = try OpenFile(count: 1_000)
    try file.removeFile()
    try await withGateway(modules: [file.module]) { gateway in
      let request = "GET /unsized HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
      let client = try await RawClient.connect(to: gateway.port)
      try await client.send(request)
      let all = await client.receive()
      #expect(all.firstRange(of: file.asBytes) != nil)
    }
  }

  @Test func `HTTP 2 has bytes alone`() async throws {
    let file = try OpenFile(count: 1_000)
    try file.removeFile()
    try await withGateway(modules: [file.module]) { gateway in
      let client = try await FrameClient.connect(to: gateway.port)
      try await client.send([.request(1, "GET", "/file", endStream: true)])
      #expect(await client.answer(1).data == file.asBytes)
    }
  }

  @Test func `TLS has bytes alone`() async throws {
    let certificate = try TestCertificate()
    let file = try OpenFile(count: 1_000)
    try file.removeFile()
    try await withGateway(tls: certificate.files, modules: [file.module]) { gateway in
      let client = try await RawClient.connect(
        to: gateway.port,
        tls: certificate.clientContext(protocols: [])
      )
      try await client.send(Self.get("/file"))
      #expect(await Self.body(client, file.bytes.count) == file.asBytes)
    }
  }

  // What is left of a small part never fills the connection's buffer.
  @Test(arguments: [20_000, 300_000])
  func `a client that reads nothing of a file is cut off`(partBytes: Int) async throws {
    var limits = GatewayConfiguration.Limits.test
    limits.stalledReaderTimeout = .milliseconds(50)
    let file = try OpenFile(count: 24_000_000, partBytes: partBytes)
    try file.removeFile()
    try await withGateway(limits: limits, modules: [file.module]) { gateway in
      let client = try await RawClient.connect(to: gateway.port)
      try await client.channel.setOption(.autoRead, value: false).get()
      try await client.send(Self.get("/file"))
      var failures = file.failures.makeAsyncIterator()
      await failures.next()
      try await client.channel.setOption(.autoRead, value: true).get()
      let all = await client.receive()
      #expect(all.count < file.bytes.count)
    }
  }

  @Test func `the pace of a slow client is what it takes in each time`() {
    var pace = ReaderPace(1_000_000)
    let bound = GatewayConfiguration.unwrittenBytesPerConnection
    let kept = pace.isKept(with: 1_000_000 - bound)
    let keptAgain = pace.isKept(with: 1_000_000 - 2 * bound)
    let keptTooSlow = pace.isKept(with: 1_000_001 - 3 * bound)
    #expect(kept && keptAgain && !keptTooSlow)
  }
}
