import BaseRuntime
import BaseText
import Checksums
import FirestoreModel
import Gzip
import HTTPTypes
import ObjectStorage
import ServiceModule

/// An object's bytes as an HTTP response: whole, a range, or a note that the client has them.
///
/// Users' uploads are served so that a browser runs nothing of them: in a sandbox, with their
/// stored type. The caller has been authorized before.
package struct ObjectDownload: Sendable {
  /// The kind of clients that ask.
  package enum Dialect: Sendable {
    case google
    /// Supplies the display headers that were not stored, and lets pages read the headers.
    case firebase
    /// The object's own metadata are headers.
    case googleXML
    /// The same, under the names of S3.
    case amazonXML

    /// True for the XML API, whose tags are of the content alone.
    fileprivate var isXML: Bool { metadataPrefix != nil }

    /// The prefix of the headers with own metadata; nil where they are not sent.
    fileprivate var metadataPrefix: String? {
      switch self {
      case .google, .firebase: nil
      case .googleXML: "x-goog-meta-"
      case .amazonXML: "x-amz-meta-"
      }
    }
  }

  private let object: StoredObject
  private let request: HTTPFields
  private let dialect: Dialect
  /// Headers that a signed request asks for in place of the stored ones.
  var overrides: [(name: HTTPField.Name, value: String)] = []

  /// The download that those headers ask for.
  package init(_ object: StoredObject, _ request: HTTPFields, _ dialect: Dialect = .google) {
    self.object = object
    self.request = request
    self.dialect = dialect
  }

  /// The answer, whose bytes are read as the client takes them.
  ///
  /// - Parameter threads: Expand content that is stored compressed.
  package func response(
    _ bucket: Bucket,
    _ threads: EngineThreads
  ) async throws -> ServiceResponse {
    var headers = self.headers
    switch condition {
    case .unmodified:
      return ServiceResponse(status: .notModified, headers: headers)
    case .failed:
      return ServiceResponse(status: .preconditionFailed, headers: headers)
    case .met: break
    }
    if wantsExpansion {
      let content = try await bucket.content(of: object)
      if try await Self.isGzip(content) { return expanded(content, headers, threads) }
    }
    guard let range = try describe(&headers) else {
      return ServiceResponse(status: .rangeNotSatisfiable, headers: headers)
    }
    let status = Self.status(headers)
    if let bytes = try await bucket.smallContent(of: object) {
      return ServiceResponse(status: status, headers: headers, body: .bytes(bytes.part(range)))
    }
    let content = try await bucket.content(of: object)
    return ServiceResponse(
      status: status,
      headers: headers,
      body: .stream { writer in
        if let files = writer.files,
          try await content.forEachFilePart(range, { try await files.write(OpenFilePart($0)) })
        {
          return
        }
        try await content.forEachPart(range) { try await writer.write($0) }
      }
    )
  }

  /// The answer with an object of which memory has all; nil where it takes more than to send its bytes.
  package func answer(of remembered: RememberedObject) throws -> MemoryAnswer? {
    guard case .met = condition, !wantsExpansion else { return nil }
    let content = remembered.content
    if request[.range] == nil, overrides.isEmpty {
      return MemoryAnswer(try wholeHead(remembered.derived), body: content)
    }
    var headers = self.headers
    guard let range = try describe(&headers) else { return nil }
    let head = PreparedHead(status: Self.status(headers), headers: headers)
    return MemoryAnswer(head, body: content.part(range))
  }

  /// The head of a response with all bytes, made once for a remembered object and a dialect.
  private func wholeHead(_ derived: DerivedValue) throws -> PreparedHead {
    if let known = derived.get(as: WholeHead.self), known.dialect == dialect { return known.head }
    var headers = self.headers
    _ = try describe(&headers)
    let whole = WholeHead(dialect: dialect, head: PreparedHead(headers: headers))
    derived.set(whole)
    return whole.head
  }

  private final class WholeHead: Sendable {
    let dialect: Dialect
    let head: PreparedHead

    init(dialect: Dialect, head: PreparedHead) {
      self.dialect = dialect
      self.head = head
    }
  }

  /// Describes in the headers which bytes are sent; nil if none are in the requested range.
  private func describe(_ headers: inout HTTPFields) throws -> Range<Int64>? {
    var range = 0..<object.size
    do {
      switch try ByteRange(isRangeValid ? request[.range] : nil, size: object.size) {
      case .whole: break
      case .part(let part):
        range = part
        headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(object.size)"
      }
    } catch {
      guard error.code == .rangeNotSatisfiable else { throw error }
      headers[.contentRange] = "bytes */\(object.size)"
      headers[.contentType] = nil
      return nil
    }
    // A range of all bytes is the object too, and clients check it.
    if range.count == object.size { headers[.googHash] = hashes }
    headers[.contentLength] = String(range.count)
    return range
  }

  private static func status(_ headers: HTTPFields) -> HTTPResponse.Status {
    headers[.contentRange] == nil ? .ok : .partialContent
  }

  private var entityTag: String { "\"\(dialect.isXML ? object.contentTag : object.entityTag)\"" }

  private var modified: Int64 { object.updated / 1_000_000 }

  private var headers: HTTPFields {
    let attributes = object.attributes
    var headers: HTTPFields = [
      .contentType: attributes.contentType?.string ?? "application/octet-stream",
      .cacheControl: attributes.cacheControl?.string ?? "private, max-age=0",
      .eTag: entityTag, .lastModified: HTTPDate.text(object.updated), .acceptRanges: "bytes",
      .xContentTypeOptions: "nosniff", .contentSecurityPolicy: "default-src 'none'; sandbox",
    ]
    if let encoding = attributes.contentEncoding, encoding != "identity" {
      headers[.contentEncoding] = encoding.string
    }
    if isStoredAsGzip { headers[.vary] = "Accept-Encoding" }
    headers[.contentDisposition] = attributes.contentDisposition?.string
    if dialect == .firebase {
      headers[.contentDisposition] = FirebaseMetadata.disposition(of: object)
      headers[.accessControlExposeHeaders] = FirebaseRoutes.exposedHeaders
    }
    headers[.contentLanguage] = attributes.contentLanguage?.string
    headers[.googGeneration] = String(object.generation)
    headers[.googMetageneration] = String(object.metageneration)
    headers[.googStorageClass] = attributes.shownStorageClass.string
    headers[.googStoredLength] = String(object.size)
    headers[.googStoredEncoding] = attributes.contentEncoding?.string ?? "identity"
    if let prefix = dialect.metadataPrefix { describeMetadata(prefix, &headers) }
    if dialect == .googleXML { headers[.googCustomTime] = attributes.customTimeText }
    for (name, value) in overrides { headers[name] = value }
    return headers
  }

  /// Sends the client's metadata of an object as headers, except for values that can't be headers,
  /// and for the tokens, which grant downloads.
  private func describeMetadata(_ prefix: String, _ headers: inout HTTPFields) {
    for (key, value) in object.attributes.metadata where key != ObjectAttributes.tokensKey {
      guard let name = HTTPField.Name(prefix + key.string), HTTPField.isValidValue(value.string)
      else { continue }
      headers[name] = value.string
    }
  }

  /// The stored checksums of the whole content.
  private var hashes: String {
    let crc = "crc32c=" + Base64.standard(CRC32C.bytes(of: object.hashes.crc32c))
    return object.hashes.md5.map { "\(crc),md5=\(Base64.standard($0))" } ?? crc
  }

  // MARK: Compressed content

  private var isStoredAsGzip: Bool {
    object.attributes.contentEncoding?.string.lowercased() == "gzip"
  }

  /// True if the client takes no gzip, and the object's cache control allows a change on the way.
  private var wantsExpansion: Bool {
    isStoredAsGzip && object.size > 0
      && !AcceptedEncodings(request[.acceptEncoding]).contains("gzip")
      && object.attributes.cacheControl?.string.lowercased().contains("no-transform") != true
  }

  private static func isGzip(_ content: ObjectContent) async throws -> Bool {
    let range = 0..<min(content.object.size, Int64(GzipReader.signature.count))
    var head: [UInt8] = []
    for try await part in content.parts(range) { head += part }
    return head == GzipReader.signature
  }

  /// The content expanded on its way, at the client's pace; ranges mean nothing then.
  private func expanded(
    _ content: ObjectContent,
    _ stored: HTTPFields,
    _ threads: EngineThreads
  ) -> ServiceResponse {
    var headers = stored
    headers[.contentEncoding] = nil
    headers[.acceptRanges] = nil
    // The bytes are not those that the tag and the hashes are of.
    headers[.eTag] = "W/" + entityTag
    headers[.warning] = "214 brasa gunzipped"
    let limit = max(Self.freeExpansion, object.size * Self.greatestExpansion)
    return ServiceResponse(
      headers: headers,
      body: .stream { writer in
        let reader = GzipReader(limit: limit)
        for try await part in content.parts() {
          reader.feed(part)
          while let bytes = try await threads.run(on: .files, { try reader.next() }) {
            try await writer.write(bytes)
          }
        }
        try reader.finish()
      }
    )
  }

  /// The factor by which content may grow, where it becomes larger than the free size: other people
  /// made it.
  private static let greatestExpansion: Int64 = 100
  private static let freeExpansion: Int64 = 256 << 20

  // MARK: Conditions

  private enum Condition {
    case met
    /// The client has it.
    case unmodified
    case failed
  }

  /// RFC 9110, section 13.2.2.
  private var condition: Condition {
    if let tags = request[.ifMatch] {
      if !lists(tags) { return .failed }
    } else if let date = request[.ifUnmodifiedSince].flatMap(HTTPDate.seconds) {
      if modified > date { return .failed }
    }
    if let tags = request[.ifNoneMatch] {
      return lists(tags) ? .unmodified : .met
    }
    if let date = request[.ifModifiedSince].flatMap(HTTPDate.seconds), modified <= date {
      return .unmodified
    }
    return .met
  }

  /// Returns true if a list of tags has this object's; weak ones and bare ones match too.
  private func lists(_ tags: String) -> Bool {
    let bare = EntityTags.list(entityTag)
    return EntityTags.list(tags).contains { $0 == "*" || bare.contains($0) }
  }

  /// True if a range of the client's copy is one of this object.
  private var isRangeValid: Bool {
    guard let basis = request[.ifRange] else { return true }
    return !basis.hasPrefix("W/") && lists(basis) || HTTPDate.seconds(basis) == modified
  }
}

extension OpenFilePart {
  /// A part of a blob's file.
  fileprivate init(_ part: BlobFilePart) {
    self.init(descriptor: part.descriptor, range: part.range, owner: part.file)
  }
}

extension [UInt8] {
  /// The bytes of a range of all.
  fileprivate func part(_ range: Range<Int64>) -> [UInt8] {
    range.count == count ? self : Array(self[Int(range.lowerBound)..<Int(range.upperBound)])
  }
}

/// The content codings that a header `accept-encoding` takes.
struct AcceptedEncodings {
  private let header: String

  init(_ header: String?) { self.header = header?.lowercased() ?? "" }

  /// Returns true if a coding is named, or all are, and not with a weight of 0.
  func contains(_ coding: String) -> Bool {
    var isAccepted = false
    for element in header.split(separator: ",") {
      let parts = element.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" } }
      guard let name = parts.first else { continue }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap {
        Double($0.dropFirst(2))
      }
      if name == coding || name == "x-\(coding)" { return weight ?? 1 > 0 }
      if name == "*" { isAccepted = weight ?? 1 > 0 }
    }
    return isAccepted
  }
}

extension HTTPField.Name {
  static let warning = storage("warning")
  static let googGeneration = storage("x-goog-generation")
  static let googMetageneration = storage("x-goog-metageneration")
  static let googStorageClass = storage("x-goog-storage-class")
  static let googCustomTime = storage("x-goog-custom-time")
  static let googStoredLength = storage("x-goog-stored-content-length")
  static let googStoredEncoding = storage("x-goog-stored-content-encoding")

  /// A field of Storage's own.
  static func storage(_ name: String) -> HTTPField.Name {
    guard let field = HTTPField.Name(name) else {
      preconditionFailure("\(name) is no field's name")
    }
    return field
  }
}
