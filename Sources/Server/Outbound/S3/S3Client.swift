import AsyncHTTPClient
import BaseText
import Crypto
import NIOCore
import NIOPosix
import NIOSSL
import ObjectStorage
import StorageWire

/// Requests to one bucket of a server with the protocol of S3, each signed with its body's hash.
///
/// Requests that fail for reasons that may pass are sent again; all that are sent here may be sent twice. Any task may call.
final class S3Client: Sendable {
  /// A response with its body.
  struct Answer: Sendable {
    let status: UInt
    /// Nil where the server does not say it.
    let contentLength: Int64?
    let body: [UInt8]
  }

  /// A request of the bucket, or of a key in it.
  struct Call: Sendable {
    var method: String
    /// Empty is the bucket.
    var key = ""
    var parameters: [(name: String, value: String)] = []
    var headers: [String: String] = [:]
    var body: [UInt8] = []
    /// True if a response that there is no such key is an error.
    var mustExist = true
  }

  let configuration: S3Configuration
  private let client: HTTPClient
  private let signer: RequestSigner
  private let host: String

  /// The largest size of one response: a requested part, or a list.
  private static let answerLimit = 64 << 20

  init(_ configuration: S3Configuration, group: any EventLoopGroup) throws(OutboundError) {
    guard let scheme = configuration.endpoint.firstRange(of: "://"),
      ["http", "https"].contains(String(configuration.endpoint[..<scheme.lowerBound])),
      !configuration.endpoint[scheme.upperBound...].contains("/")
    else { throw OutboundError(.refused, "\(configuration.endpoint) is not a server address") }
    self.configuration = configuration
    host = String(configuration.endpoint[scheme.upperBound...])
    signer = RequestSigner(
      .amazon,
      accessID: configuration.accessID,
      secret: configuration.secret,
      region: configuration.region
    )
    var tls = TLSConfiguration.makeClientConfiguration()
    if let file = configuration.authorities { tls.additionalTrustRoots = [.file(file)] }
    var settings = HTTPClient.Configuration(
      tlsConfiguration: tls,
      redirectConfiguration: .disallow,
      timeout: .init(connect: .seconds(10), read: .seconds(60))
    )
    settings.httpVersion = .http1Only
    client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: settings)
  }

  func shutdown() async throws { try await client.shutdown() }

  /// Sends a request; throws `StorageError` for every response but success, and nil is that there is no such key.
  func send(_ call: Call) async throws -> Answer? {
    var attempt = 1
    while true {
      do {
        let answer = try await perform(call)
        switch answer.status {
        case 200..<300: return answer
        case 404 where !call.mustExist: return nil
        case 404: throw StorageError(.notFound, "The file is missing.")
        case 416: throw StorageError(.rangeNotSatisfiable, "The range of bytes does not exist.")
        case 429, 500...: throw Self.unavailable(Refusal(answer))
        default: throw Self.refused(answer)
        }
      } catch let error as StorageError where error.code != .unavailable {
        throw error
      } catch {
        // A cancelled caller does not wait for the response: its absence says nothing about the
        // server.
        try Task.checkCancellation()
        guard attempt < configuration.attempts else {
          throw error is StorageError ? error : Self.unavailable(error)
        }
      }
      try await configuration.sleep(.milliseconds(100 << attempt))
      attempt += 1
    }
  }

  private func perform(_ call: Call) async throws -> Answer {
    let path = "/\(configuration.bucket)" + (call.key.isEmpty ? "" : "/" + Self.encoded(call.key))
    var headers = call.headers
    headers["host"] = host
    let signed = signer.headers(
      for: SignableRequest(
        method: call.method,
        path: path,
        parameters: call.parameters,
        headers: headers
      ),
      payloadHash: Hexadecimal.text(SHA256.hash(data: call.body)),
      now: configuration.clock() / 1_000_000
    )
    let query = call.parameters.map {
      "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))"
    }
    let mark = query.isEmpty ? "" : "?" + query.joined(separator: "&")
    var request = HTTPClientRequest(url: configuration.endpoint + path + mark)
    request.method = .init(rawValue: call.method)
    for (name, value) in signed where name != "host" {
      request.headers.add(name: name, value: value)
    }
    if !call.body.isEmpty || call.method == "PUT" {
      request.body = .bytes(ByteBuffer(bytes: call.body))
    }
    let response = try await client.execute(request, timeout: .seconds(120))
    let body = try await response.body.collect(upTo: Self.answerLimit)
    return Answer(
      status: response.status.code,
      contentLength: response.headers.first(name: "content-length").flatMap { Int64($0) },
      body: Array(buffer: body)
    )
  }

  private static func encoded(_ key: String) -> String {
    key.split(separator: "/", omittingEmptySubsequences: false)
      .map { PercentEncoding.encode(String($0)) }.joined(separator: "/")
  }

  /// The error that the server returned, for the log.
  private struct Refusal: Error, CustomStringConvertible {
    let description: String

    init(_ answer: Answer) {
      let error = try? XMLReader.read(answer.body)
      let code = error?["Code"]?.text ?? ""
      let message = error?["Message"]?.text ?? ""
      description = "status \(answer.status) \(code) \(message)"
    }
  }

  private static func unavailable(_ cause: any Error) -> StorageError {
    StorageError(.unavailable, "The S3 server could not be reached.", cause: cause)
  }

  /// A wrong key or a bucket that is not there: nothing that passes by itself.
  private static func refused(_ answer: Answer) -> StorageError {
    StorageError(.corrupt, "The S3 server refused the request.", cause: Refusal(answer))
  }
}
