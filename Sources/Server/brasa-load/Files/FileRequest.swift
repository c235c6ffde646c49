/// One request of a load on files.
struct FileRequest: Sendable {
  /// The part of a request after its head.
  enum Body: Sendable, Equatable {
    case bytes([UInt8])
    /// So many bytes of an object's content, from an offset on.
    case content(object: Int, from: Int64, count: Int64)

    var count: Int64 {
      switch self {
      case .bytes(let bytes): Int64(bytes.count)
      case .content(_, _, let count): count
      }
    }
  }

  let method: String
  let path: String
  var headers: [(name: String, value: String)] = []
  var body = Body.bytes([])
  /// True if the response's body is of interest; others are counted and dropped.
  var keepsAnswer = false

  /// The request's line and headers.
  func head(_ target: FileTarget) -> [UInt8] {
    var text = "\(method) \(path) HTTP/1.1\r\nHost: \(target.host):\(target.port)\r\n"
    if let token = target.token { text += "Authorization: Bearer \(token)\r\n" }
    for header in headers { text += "\(header.name): \(header.value)\r\n" }
    if method != "GET" { text += "Content-Length: \(body.count)\r\n" }
    return Array((text + "\r\n").utf8)
  }
}

/// The answer to a request.
struct FileAnswer: Sendable {
  let status: Int
  /// Bytes of the body.
  let count: Int64
  /// The address at which an upload continues.
  let location: String?
  /// The last byte that an unfinished upload has; nil where there is none.
  let lastByte: Int64?
  /// The body of a request that keeps it.
  let body: [UInt8]

  /// The name under which this kind of failure is counted.
  var errorName: String { "status \(status)" }
}

/// The work that a connection repeats: a request, or a few that depend on each other.
///
/// Each connection has a value of its own.
protocol FileOperation: Sendable {
  /// The first request of one more round; nil when there is nothing left to do.
  mutating func begin(_ random: inout RandomSource) -> FileRequest?
  /// Takes the response to the last request, and returns the next step.
  mutating func receive(_ answer: FileAnswer) -> FileStep
}

/// The next step after a response.
enum FileStep: Sendable {
  /// The round continues with this request.
  case request(FileRequest)
  /// The round moved so many objects, and so many bytes of theirs.
  case finished(objects: Int, bytes: Int64)
  /// The round failed; the name says how.
  case failed(String)
}
