/// Writes objects in one request each.
struct UploadOperation: FileOperation {
  let target: FileTarget
  let size: Int64
  /// The number of the next object, and its name; nil when there are enough.
  let next: @Sendable () -> (number: Int, name: String)?

  func begin(_ random: inout RandomSource) -> FileRequest? {
    guard let (number, name) = next() else { return nil }
    return FileRequest(
      method: target.dialect == .plain ? "PUT" : "POST",
      path: target.upload(of: name),
      headers: [(name: "Content-Type", value: "image/jpeg")],
      body: .content(object: number, from: 0, count: size)
    )
  }

  func receive(_ answer: FileAnswer) -> FileStep {
    guard (200..<300).contains(answer.status) else { return .failed(answer.errorName) }
    return .finished(objects: 1, bytes: size)
  }
}

/// Copies one object under many names, which writes metadata alone.
struct CopyOperation: FileOperation {
  let target: FileTarget
  let source: String
  let next: @Sendable () -> (number: Int, name: String)?

  func begin(_ random: inout RandomSource) -> FileRequest? {
    guard let (_, name) = next() else { return nil }
    let bucket = "/b/\(target.bucket)/o/"
    let from = "/storage/v1" + bucket + FileTarget.escaped(source)
    return FileRequest(method: "POST", path: "\(from)/copyTo\(bucket)\(FileTarget.escaped(name))")
  }

  func receive(_ answer: FileAnswer) -> FileStep {
    guard answer.status == 200 else { return .failed(answer.errorName) }
    return .finished(objects: 1, bytes: 0)
  }
}

/// Reads numbered objects at random, whole or a range of each.
struct DownloadOperation: FileOperation {
  let target: FileTarget
  let objects: Int
  let size: Int64
  /// The number of bytes to request; nil means all.
  let range: Int64?

  func begin(_ random: inout RandomSource) -> FileRequest? {
    let name = FileTarget.name(random.below(objects))
    var request = FileRequest(method: "GET", path: target.content(of: name))
    if let range {
      let start = Int64(random.below(Int(size - range + 1)))
      request.headers = [(name: "Range", value: "bytes=\(start)-\(start + range - 1)")]
    }
    return request
  }

  func receive(_ answer: FileAnswer) -> FileStep {
    guard answer.status == (range == nil ? 200 : 206) else { return .failed(answer.errorName) }
    guard answer.count == range ?? size else { return .failed("\(answer.count) bytes") }
    return .finished(objects: 1, bytes: answer.count)
  }
}

/// Lists folders at random.
struct ListOperation: FileOperation {
  let target: FileTarget
  let folders: Int
  let limit: Int

  func begin(_ random: inout RandomSource) -> FileRequest? {
    let prefix = FileTarget.folder(random.below(folders))
    let path = target.list(prefix: prefix, limit: limit)
    return FileRequest(method: "GET", path: path, keepsAnswer: true)
  }

  func receive(_ answer: FileAnswer) -> FileStep {
    guard answer.status == 200 else { return .failed(answer.errorName) }
    do {
      let page = try ObjectPage(answer.body)
      let expected = min(limit, FileTarget.folderSize)
      guard page.names.count == expected else { return .failed("\(page.names.count) names") }
      return .finished(objects: expected, bytes: answer.count)
    } catch {
      return .failed("no list")
    }
  }
}

/// Writes large objects as resumable uploads: a session, then chunks one after the other.
struct ResumableOperation: FileOperation {
  let target: FileTarget
  let size: Int64
  let chunk: Int64
  let next: @Sendable () -> (number: Int, name: String)?
  private var number = 0
  private var session = ""
  private var offset: Int64 = 0

  init(
    target: FileTarget,
    size: Int64,
    chunk: Int64,
    next: @escaping @Sendable () -> (number: Int, name: String)?
  ) {
    (self.target, self.size, self.chunk, self.next) = (target, size, chunk, next)
  }

  mutating func begin(_ random: inout RandomSource) -> FileRequest? {
    guard let (number, name) = next() else { return nil }
    self.number = number
    (session, offset) = ("", 0)
    return FileRequest(
      method: "POST",
      path: "/upload/storage/v1/b/\(target.bucket)/o?uploadType=resumable"
        + "&name=\(FileTarget.escaped(name))",
      headers: [(name: "X-Upload-Content-Length", value: "\(size)")]
    )
  }

  mutating func receive(_ answer: FileAnswer) -> FileStep {
    if session.isEmpty {
      guard answer.status == 200, let path = answer.location.flatMap(Self.path) else {
        return .failed(answer.errorName)
      }
      session = path
      return .request(nextChunk)
    }
    switch answer.status {
    case 200, 201: return .finished(objects: 1, bytes: size)
    case 308:
      offset = answer.lastByte.map { $0 + 1 } ?? 0
      return .request(nextChunk)
    default: return .failed(answer.errorName)
    }
  }

  private var nextChunk: FileRequest {
    let count = min(chunk, size - offset)
    let range = "bytes \(offset)-\(offset + count - 1)/\(size)"
    return FileRequest(
      method: "PUT",
      path: session,
      headers: [(name: "Content-Range", value: range)],
      body: .content(object: number, from: offset, count: count)
    )
  }

  /// The path of a URL.
  private static func path(_ url: String) -> String? {
    guard let scheme = url.range(of: "://") else { return url }
    return url[scheme.upperBound...].firstIndex(of: "/").map { String(url[$0...]) }
  }
}

/// One round of another operation.
struct OnceOperation: FileOperation {
  private var operation: any FileOperation
  private var isDone = false

  /// The operation, once.
  init(_ operation: any FileOperation) { self.operation = operation }

  mutating func begin(_ random: inout RandomSource) -> FileRequest? {
    guard !isDone else { return nil }
    isDone = true
    return operation.begin(&random)
  }

  mutating func receive(_ answer: FileAnswer) -> FileStep { operation.receive(answer) }
}
