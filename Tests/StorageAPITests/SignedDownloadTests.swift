import Access
import BaseRuntime
import DocumentStore
import Foundation
import HTTPTypes
import KeyValueStore
import Logging
import ObjectStorage
import ServiceModule
import StorageWire
import Synchronization
import Testing

@testable import StorageAPI

/// Signed URLs by which an object is downloaded again and again.
@Suite struct SignedDownloadTests {
  /// A URL that counts for ten minutes, with more parameters or other signed headers.
  static func url(_ more: String = "", signing headers: String = "host") -> String {
    "/p.appspot.com/a?X-Goog-Algorithm=GOOG4-RSA-SHA256"
      + "&X-Goog-Credential=robot%2F20270115%2Fauto%2Fstorage%2Fgoog4_request"
      + "&X-Goog-Date=20270115T080000Z&X-Goog-Expires=600"
      + "&X-Goog-SignedHeaders=\(headers)&X-Goog-Signature=0a0b\(more)"
  }

  @Test func `a URL that comes again is answered without another verification`() async throws {
    let server = try StorageServer()
    try await server.put("1")
    let url = Self.url("&response-content-type=text%2Fplain")
    #expect(try server.remembered(url) == nil)
    #expect(try await server.get(url) == "1")
    let verifications = server.signer.verifications
    let again = try #require(try server.remembered(url))
    #expect(String(decoding: again.body, as: UTF8.self) == "1")
    #expect(again.head.headers[.contentType] == "text/plain")
    let part = try #require(try server.remembered(url, ["range": "bytes=0-0"]))
    #expect(part.head.status == .partialContent)
    #expect(server.signer.verifications == verifications)
    try server.close()
  }

  @Test(
    arguments: [
      (url("&a=b"), [:]), (url("0c"), [:]), (url(), ["x-goog-meta-a": "b"]),
      (url(), ["x-amz-date": "1"]),
      (url(), ["authorization": "Bearer x"]), (url(), ["origin": "https://a.example"]),
      (url(), ["host": "other.example"]),
    ] as [(String, [String: String])]
  )
  func `another URL, and what may change its meaning, is verified`(
    url: String,
    headers: [String: String]
  ) async throws {
    let server = try StorageServer()
    try await server.put("1")
    _ = try await server.get(Self.url())
    #expect(try server.remembered(Self.url()) != nil)
    #expect(try server.remembered(url, headers) == nil)
    #expect(try server.remembered(Self.url(), at: "other.example") == nil)
    try server.close()
  }

  @Test(arguments: [url("&generation=1"), url(signing: "host%3Brange")])
  func `a URL that does not say all is not remembered`(url: String) async throws {
    let server = try StorageServer()
    try await server.put("1")
    _ = try await server.get(Self.url())
    _ = try await server.get(url, ["range": "bytes=0-"])
    #expect(try server.remembered(url, ["range": "bytes=0-"]) == nil)
    try server.close()
  }

  @Test func `a URL counts no longer than its time and its key`() async throws {
    let server = try StorageServer()
    try await server.put("1")
    _ = try await server.get(Self.url())
    server.signer.setTime(600)
    #expect(try server.remembered(Self.url()) != nil)
    server.signer.setTime(601)
    #expect(try server.remembered(Self.url()) == nil)
    #expect(try await server.get(Self.url()).contains("ExpiredToken"))
    server.signer.setTime(-901)
    #expect(try server.remembered(Self.url()) == nil)
    server.signer.setTime(0)
    #expect(try server.remembered(Self.url()) != nil)
    server.signer.revokeKey()
    #expect(try server.remembered(Self.url()) == nil)
    #expect(try await server.get(Self.url()).contains("SignatureDoesNotMatch"))
    try server.close()
  }

  @Test func `an object that changed is not answered as it was`() async throws {
    let server = try StorageServer()
    for content in ["1", "2"] {
      try await server.put(content)
      #expect(try server.remembered(Self.url()) == nil)
      #expect(try await server.get(Self.url()) == content)
      #expect(try server.remembered(Self.url())?.body == Array(content.utf8))
    }
    try server.close()
  }

  @Test func `what is remembered of URLs keeps to its bound, and what is used stays`() throws {
    let downloads = SignedDownloads(limit: 20_000)
    let name = try ObjectName("a")
    let signature = try #require(
      try RequestSignature(try XMLRequest(StorageServer.request(Self.url())).signable)
    )
    let download = SignedDownloads.Download(
      bucket: try BucketName("p.appspot.com"),
      object: name,
      overrides: [],
      signature: VerifiedSignature(signature: signature, key: .account("robot", keyID: "1"))
    )
    let requests = (0..<200).map { StorageServer.request(Self.url("&n=\($0)")) }
    for request in requests {
      downloads.keep(download, request)
      #expect(downloads.download(requests[0]) != nil)
    }
    let kept = requests.count { downloads.download($0) != nil }
    #expect(kept > 10 && kept < 40)
  }
}

/// The key of the account `robot`, which signs everything, and the time.
private final class Signer: Sendable {
  private struct State {
    /// Seconds since the URLs were signed.
    var time: Int64 = 0
    var isKeyInUse = true
    var verifications = 0
  }

  private let state = Mutex(State())

  /// Microseconds since 1970; the URLs are of 2027-01-15T08:00:00Z.
  var now: Int64 { state.withLock { 1_000_000 * (1_800_000_000 + $0.time) } }
  var isKeyInUse: Bool { state.withLock { $0.isKeyInUse } }
  var verifications: Int { state.withLock { $0.verifications } }

  func verify() -> String? {
    state.withLock { state in
      state.verifications += 1
      return state.isKeyInUse ? "1" : nil
    }
  }

  func setTime(_ seconds: Int64) { state.withLock { $0.time = seconds } }
  func revokeKey() { state.withLock { $0.isKeyInUse = false } }
}

/// The routes of Cloud Storage over an engine in memory.
private final class StorageServer: Sendable {
  let signer = Signer()
  private let directory: String
  private let threads = EngineThreads(count: 2)
  private let databases: Databases
  private let routes: RouteTable

  init() throws {
    let log = Logger(label: "test")
    directory = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    databases = try Databases(engine: MemoryEngine(), configuration: StoreConfiguration())
    var configuration = StorageConfiguration()
    configuration.reservedBytes = 0
    let module = ServiceModule.storage(
      StorageEnvironment(
        storage: ObjectStorage(
          engine: MemoryEngine(),
          blobs: try LocalBlobStore(directory: directory, threads: threads, openFiles: 16),
          threads: threads,
          configuration: configuration
        ),
        access: AccessControl(
          mode: .production(key: AdministratorKey("an administrator")),
          databases: databases,
          rules: try RulesetStore(engine: databases.engine, log: log),
          log: log
        ),
        threads: threads,
        signatures: SignatureVerifier(
          secret: { _ in nil },
          keyID: { [signer] _, _, _ in signer.verify() },
          isInUse: { [signer] _ in signer.isKeyInUse }
        ),
        isServiceAccount: { _, _ in true },
        clock: { [signer] in signer.now }
      )
    )
    routes = try RouteTable([module])
  }

  func close() throws {
    threads.stop()
    databases.close()
    try FileManager.default.removeItem(atPath: directory)
  }

  func put(_ content: String) async throws {
    let request = Self.request(SignedDownloadTests.url(), method: .put, body: content)
    #expect(try await answer(request).status == .ok)
  }

  /// Returns the response of the route's handler.
  func get(_ target: String, _ headers: [String: String] = [:]) async throws -> String {
    let response = try await answer(Self.request(target, headers))
    guard case .bytes(let bytes) = response.body else { return "" }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Returns the response that the route gives from memory alone.
  func remembered(
    _ target: String,
    _ headers: [String: String] = [:],
    at host: String = "brasa.example"
  ) throws -> MemoryAnswer? {
    let request = Self.request(target, headers, at: host)
    let route = try #require(routes.match(.get, request.path)).route
    let handler = try #require(route.memoryHandler)
    return try handler(request)
  }

  private func answer(_ request: ServiceRequest) async throws -> ServiceResponse {
    let match = try #require(routes.match(request.method, request.path))
    return try await match.route.handler(request)
  }

  static func request(
    _ target: String,
    _ headers: [String: String] = [:],
    method: HTTPRequest.Method = .get,
    at host: String = "brasa.example",
    body: String = ""
  ) -> ServiceRequest {
    var fields = HTTPFields()
    for (name, value) in headers { HTTPField.Name(name).map { fields[$0] = value } }
    return ServiceRequest(
      head: HTTPRequest(
        method: method,
        scheme: "http",
        authority: host,
        path: target,
        headerFields: fields
      ),
      parameters: ["bucket": "p.appspot.com"],
      rest: ["a"],
      context: CallContext(
        requestID: "1",
        authorization: fields[.authorization],
        isSecure: true,
        network: "local"
      ),
      address: "127.0.0.1",
      isHTTP2: false,
      logger: Logger(label: "test"),
      body: ServiceBody(
        AsyncThrowingStream<[UInt8], any Error> { parts in
          parts.yield(Array(body.utf8))
          parts.finish()
        }
      )
    )
  }
}
