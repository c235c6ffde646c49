import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

/// Several requests of the JSON API in one: `POST /batch/storage/v1`, a body of parts that are requests.
///
/// They are answered one after the other, in their order, each with its own code; at most a hundred, and
/// no uploads or downloads.
struct BatchRoute: Sendable {
  let environment: StorageEnvironment
  private let table: RouteTable?

  private static let bodyLimit = 10 << 20
  private static let callLimit = 100

  init(environment: StorageEnvironment, routes: [HTTPRoute]) {
    self.environment = environment
    var module = ServiceModule("batch")
    module.routes = routes.filter { !$0.takesStream }
    do {
      table = try RouteTable([module])
    } catch {
      preconditionFailure("the routes of the JSON API: \(error)")
    }
  }

  var all: [HTTPRoute] {
    ["/batch/storage/v1", "/batch"].map { path in
      HTTPRoute(.post, RoutePattern(path), for: .administrators) { request in
        do {
          return try await answer(request)
        } catch {
          return try JSONErrors.response(error, request)
        }
      }
    }
  }

  private func answer(_ request: ServiceRequest) async throws -> ServiceResponse {
    let calls = try BatchCall.calls(
      contentType: request.headers[.contentType] ?? "",
      try await request.body.collect(upTo: Self.bodyLimit)
    )
    guard calls.count <= Self.callLimit else {
      throw StorageError(.invalid, "The batch has more than \(Self.callLimit) calls.")
    }
    let boundary = "batch_\(BlobID.random())"
    var body: [UInt8] = []
    for call in calls {
      body += try await part(of: call, request, boundary)
    }
    body += Array("--\(boundary)--\r\n".utf8)
    return ServiceResponse(
      headers: [.contentType: "multipart/mixed; boundary=\(boundary)"],
      body: .bytes(body)
    )
  }

  private func part(
    of call: BatchCall,
    _ request: ServiceRequest,
    _ boundary: String
  ) async throws -> [UInt8] {
    var response = try await response(to: call, request)
    if call.method != .get, call.method != .head {
      let path = call.target.prefix { $0 != "?" }
      request.context.actor?.note(
        subject: "\(call.method.rawValue) \(path) \(response.status.code)"
      )
    }
    if case .stream = response.body {
      let error = StorageError(.unsupported, "A batch cannot download.")
      response = try JSONErrors.response(error, request)
    }
    var content: [UInt8] = []
    if case .bytes(let bytes) = response.body { content = bytes }
    var text = "--\(boundary)\r\nContent-Type: application/http\r\n"
    if let id = call.id { text += "Content-ID: <response-\(id)>\r\n" }
    text += "\r\nHTTP/1.1 \(response.status.code) \(response.status.reasonPhrase)\r\n"
    for field in response.headers { text += "\(field.name.canonicalName): \(field.value)\r\n" }
    text += "Content-Length: \(content.count)\r\n\r\n"
    return Array(text.utf8) + content + Array("\r\n".utf8)
  }

  private func response(
    to call: BatchCall,
    _ request: ServiceRequest
  ) async throws -> ServiceResponse {
    var head = request.head
    head.method = call.method
    head.path = call.target
    head.headerFields = request.headers
    for field in call.headers { head.headerFields[field.name] = field.value }
    let path = String(call.target.prefix { $0 != "?" })
    let isMedia = call.target.contains("alt=media")
    guard let match = table?.match(call.method, path), !isMedia else {
      let error = StorageError(.notFound, "Not Found")
      return try JSONErrors.response(error, request)
    }
    // A call takes what it takes by itself: the batch's own route takes less than some.
    let context = request.context.demanding(
      match.route.demand(call.method, path),
      isRecent: match.route.takesRecentSignIn(call.method, path)
    )
    return try await match.route.handler(
      ServiceRequest(
        head: head,
        parameters: match.parameters,
        rest: match.rest,
        context: context,
        address: request.address,
        isHTTP2: request.isHTTP2,
        logger: request.logger,
        body: ServiceBody(OnePart(bytes: call.body))
      )
    )
  }
}

/// One request of a batch.
struct BatchCall: Sendable {
  /// The client's id of the call, without brackets.
  let id: String?
  let method: HTTPRequest.Method
  let target: String
  let headers: HTTPFields
  let body: [UInt8]

  private static let malformed = StorageError(.invalid, "Failed to parse batch request.")

  /// Reads a body of parts that are requests.
  static func calls(contentType: String, _ bytes: [UInt8]) throws(StorageError) -> [BatchCall] {
    do {
      var reader = try MultipartReader(contentType: contentType)
      var calls: [BatchCall] = []
      var id: String?
      var content: [UInt8] = []
      for event in try reader.read(Self.withLineEnds(bytes)) {
        switch event {
        case .part(let headers):
          id = headers["content-id"].map { $0.filter { $0 != "<" && $0 != ">" } }
          content = []
        case .content(let more): content += more
        case .partEnd: calls.append(try BatchCall(id, content))
        case .end: break
        }
      }
      try reader.finish()
      return calls
    } catch {
      throw malformed
    }
  }

  /// Google's client for Python ends lines with LF alone; calls are text, in which that means the same.
  private static func withLineEnds(_ bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + bytes.count / 16)
    for byte in bytes {
      if byte == 0x0A, result.last != 0x0D { result.append(0x0D) }
      result.append(byte)
    }
    return result
  }

  private init(_ id: String?, _ content: [UInt8]) throws {
    var rest = content[...]
    guard let line = Self.line(&rest) else { throw Self.malformed }
    let words = line.split(separator: " ")
    guard words.count >= 2, let method = HTTPRequest.Method(String(words[0])) else {
      throw Self.malformed
    }
    var headers = HTTPFields()
    while let line = Self.line(&rest), !line.isEmpty {
      let halves = line.split(separator: ":", maxSplits: 1)
      guard halves.count == 2, let name = HTTPField.Name(String(halves[0])) else {
        throw Self.malformed
      }
      headers[name] = String(halves[1].drop { $0 == " " })
    }
    self.id = id
    self.method = method
    self.headers = headers
    target = Self.path(String(words[1]))
    body = Array(rest)
  }

  /// The path of a target, which may be a whole URL.
  private static func path(_ target: String) -> String {
    guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else { return target }
    let rest = target[scheme.upperBound...]
    return rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? "/"
  }

  private static func line(_ rest: inout ArraySlice<UInt8>) -> String? {
    guard let end = rest.firstIndex(of: 0x0A) else { return nil }
    var line = rest[..<end]
    if line.last == 0x0D { line.removeLast() }
    rest = rest[(end + 1)...]
    return String(validating: line, as: UTF8.self)
  }
}

/// A body that is there already.
private struct OnePart: AsyncSequence, Sendable {
  typealias Element = [UInt8]
  typealias Failure = any Error

  let bytes: [UInt8]

  struct AsyncIterator: AsyncIteratorProtocol {
    var bytes: [UInt8]?

    mutating func next() async throws -> [UInt8]? {
      defer { bytes = nil }
      return bytes
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(bytes: bytes.isEmpty ? nil : bytes)
  }
}
