import BaseStatus
import Gzip
import HTTPTypes
import Hosting
import ServiceModule

/// A file as a response: as Brotli or gzip where the visitor takes that, a range, or that the visitor has it.
struct SiteFile: Sendable {
  private let file: HostedFile
  private let name: String
  private let status: Int
  private let request: ServiceRequest
  private let environment: HostingEnvironment

  init(
    _ file: HostedFile,
    name: String,
    status: Int,
    _ request: ServiceRequest,
    _ environment: HostingEnvironment
  ) {
    self.file = file
    self.name = name
    self.status = status
    self.request = request
    self.environment = environment
  }

  var response: ServiceResponse {
    get async throws {
      let isWhole = status == 200
      let range = isWhole ? FileRange(request.headers[.range], size: file.unpackedSize) : .whole
      if range == .whole, !(isWhole && isKnown), let brotli = try await brotli() {
        return brotli
      }
      let isPacked = range == .whole && accepts("gzip")
      let tag = isPacked ? "\"\(file.hash.text)-gz\"" : "\"\(file.hash.text)\""
      var headers: HTTPFields = [
        .contentType: ContentTypes.type(of: name), .cacheControl: "max-age=3600",
        .vary: "Accept-Encoding", .eTag: tag, .acceptRanges: "bytes",
      ]
      if isWhole, isKnown {
        headers[.contentType] = nil
        return ServiceResponse(status: .notModified, headers: headers)
      }
      if range == .unsatisfiable {
        headers[.contentRange] = "bytes */\(file.unpackedSize)"
        return ServiceResponse(status: .rangeNotSatisfiable, headers: headers)
      }
      if case .part(let part) = range, isRangeOfThis {
        let last = part.upperBound - 1
        headers[.contentRange] = "bytes \(part.lowerBound)-\(last)/\(file.unpackedSize)"
        headers[.contentLength] = "\(part.count)"
        return try await answer(.partialContent, headers, part: part)
      }
      headers[.contentLength] = "\(isPacked ? file.size : file.unpackedSize)"
      if isPacked { headers[.contentEncoding] = "gzip" }
      return try await answer(HTTPResponse.Status(code: status), headers, packed: isPacked)
    }
  }

  /// The whole file as Brotli; nil where the visitor does not take that, or it would not be smaller.
  private func brotli() async throws -> ServiceResponse? {
    let type = ContentTypes.type(of: name)
    guard ContentTypes.isText(type), accepts("br"),
      let bytes = try await environment.hosting.brotli(file)
    else { return nil }
    let headers: HTTPFields = [
      .contentType: type, .cacheControl: "max-age=3600", .vary: "Accept-Encoding",
      .eTag: "\"\(file.hash.text)-br\"", .acceptRanges: "bytes",
      .contentLength: "\(bytes.count)", .contentEncoding: "br",
    ]
    return ServiceResponse(
      status: HTTPResponse.Status(code: status),
      headers: headers,
      body: .bytes(bytes)
    )
  }

  /// True if the visitor takes an encoding; quality 0 refuses it.
  ///
  /// A visitor that takes any gets gzip.
  private func accepts(_ encoding: String) -> Bool {
    (request.headers[.acceptEncoding] ?? "").lowercased().split(separator: ",").contains { part in
      let halves = part.split(separator: ";").map { $0.filter { $0 != " " } }
      guard halves.first == encoding || encoding == "gzip" && halves.first == "*" else {
        return false
      }
      return !halves.dropFirst().contains { $0.hasPrefix("q=") && Double($0.dropFirst(2)) == 0 }
    }
  }

  /// True if the visitor has the file, in either form.
  private var isKnown: Bool {
    guard let tags = request.headers[.ifNoneMatch] else { return false }
    if tags == "*" { return true }
    return tags.split(separator: ",").contains { tag in
      var tag = tag.filter { $0 != " " }
      if tag.hasPrefix("W/") { tag.removeFirst(2) }
      return ["", "-gz", "-br"].contains { tag == "\"\(file.hash.text)\($0)\"" }
    }
  }

  /// True if a range is one of this content: the visitor may have the beginning of another one.
  private var isRangeOfThis: Bool {
    guard let condition = request.headers[.ifRange] else { return true }
    return condition == "\"\(file.hash.text)\""
  }

  // MARK: Bytes

  private func answer(
    _ status: HTTPResponse.Status,
    _ headers: HTTPFields,
    packed isPacked: Bool = false,
    part: Range<Int64>? = nil
  ) async throws -> ServiceResponse {
    let part = part ?? 0..<(isPacked ? file.size : file.unpackedSize)
    switch try await environment.hosting.content(file.hash) {
    case .bytes(let bytes) where isPacked:
      return ServiceResponse(status: status, headers: headers, body: .bytes(bytes))
    case .bytes(let bytes) where file.unpackedSize <= Self.smallBytes:
      let limit = file.unpackedSize
      let text = try await environment.threads.run(on: .files) {
        try GzipReader.unpacked(bytes, limit: limit)
      }
      let range = Int(part.lowerBound)..<min(Int(part.upperBound), text.count)
      return ServiceResponse(status: status, headers: headers, body: .bytes(Array(text[range])))
    case .bytes(let bytes):
      return stream(status, headers, part, isPacked) { offset, count in
        Array(bytes[min(Int(offset), bytes.count)..<min(Int(offset) + count, bytes.count)])
      }
    case .blob(let blob):
      return stream(status, headers, part, isPacked) { try await blob.read(at: $0, count: $1) }
    }
  }

  /// The largest file that is expanded in memory as a whole.
  private static let smallBytes: Int64 = 4 << 20
  private static let partBytes = 256 << 10

  private func stream(
    _ status: HTTPResponse.Status,
    _ headers: HTTPFields,
    _ part: Range<Int64>,
    _ isPacked: Bool,
    _ read: @escaping @Sendable (_ offset: Int64, _ count: Int) async throws -> [UInt8]
  ) -> ServiceResponse {
    let (size, limit, threads) = (file.size, file.unpackedSize, environment.threads)
    return ServiceResponse(
      status: status,
      headers: headers,
      body: .stream { writer in
        let reader = isPacked ? nil : GzipReader(limit: limit)
        var (offset, written): (Int64, Int64) = (0, 0)
        while offset < size, written < part.upperBound {
          let bytes = try await read(offset, Self.partBytes)
          guard !bytes.isEmpty else { break }
          offset += Int64(bytes.count)
          guard let reader else {
            try await writer.write(bytes)
            continue
          }
          reader.feed(bytes)
          while let text = try await threads.run(on: .files, { try reader.next() }) {
            // The requested part of the content.
            let start = max(part.lowerBound - written, 0)
            let end = min(part.upperBound - written, Int64(text.count))
            written += Int64(text.count)
            if start < end { try await writer.write(Array(text[Int(start)..<Int(end)])) }
            if written >= part.upperBound { break }
          }
        }
      }
    )
  }
}

/// The part that a header `range` asks for.
enum FileRange: Equatable {
  case whole
  case part(Range<Int64>)
  case unsatisfiable

  /// Reads a header; several ranges and malformed ones ask for everything.
  init(_ header: String?, size: Int64) {
    self = .whole
    guard let header, header.hasPrefix("bytes="), !header.contains(",") else { return }
    let ends = header.dropFirst(6).split(separator: "-", omittingEmptySubsequences: false)
    let isNumber = { (text: Substring) in text.utf8.allSatisfy { (0x30...0x39).contains($0) } }
    guard ends.count == 2, ends.allSatisfy(isNumber), ends.contains(where: { !$0.isEmpty }) else {
      return
    }
    let (low, high) = (Int64(ends[0]), Int64(ends[1]))
    if ends[0].isEmpty {
      let count = min(high ?? .max, size)
      self = count > 0 ? .part(size - count..<size) : .unsatisfiable
      return
    }
    guard let low, low < size else {
      self = .unsatisfiable
      return
    }
    if ends[1].isEmpty {
      self = .part(low..<size)
    } else {
      let last = high ?? .max - 1
      guard last >= low else { return }
      self = .part(low..<min(last, size - 1) + 1)
    }
  }
}

/// The media types of files, by the ends of their names.
enum ContentTypes {
  static func type(of name: String) -> String {
    let file = name.split(separator: "/").last ?? ""
    guard let dot = file.lastIndex(of: ".") else { return "application/octet-stream" }
    return known[file[file.index(after: dot)...].lowercased()] ?? "application/octet-stream"
  }

  /// True for types of text, which Brotli makes smaller.
  static func isText(_ type: String) -> Bool {
    type.hasPrefix("text/") || type.contains("json") || type.contains("xml")
      || type == "application/wasm"
  }

  private static let known: [String: String] = [
    "avif": "image/avif", "bmp": "image/bmp", "css": "text/css; charset=utf-8",
    "csv": "text/csv; charset=utf-8", "eot": "application/vnd.ms-fontobject", "gif": "image/gif",
    "gz": "application/gzip", "htm": "text/html; charset=utf-8",
    "html": "text/html; charset=utf-8", "ico": "image/x-icon", "jpeg": "image/jpeg",
    "jpg": "image/jpeg", "js": "text/javascript; charset=utf-8",
    "json": "application/json; charset=utf-8", "map": "application/json; charset=utf-8",
    "md": "text/markdown; charset=utf-8", "mjs": "text/javascript; charset=utf-8",
    "mp3": "audio/mpeg", "mp4": "video/mp4", "ogg": "audio/ogg", "otf": "font/otf",
    "pdf": "application/pdf", "png": "image/png", "rss": "application/rss+xml; charset=utf-8",
    "svg": "image/svg+xml", "tar": "application/x-tar", "ttf": "font/ttf",
    "txt": "text/plain; charset=utf-8", "wasm": "application/wasm", "wav": "audio/wav",
    "webm": "video/webm", "webmanifest": "application/manifest+json; charset=utf-8",
    "webp": "image/webp", "woff": "font/woff", "woff2": "font/woff2",
    "xhtml": "application/xhtml+xml; charset=utf-8", "xml": "application/xml; charset=utf-8",
    "zip": "application/zip",
  ]
}
