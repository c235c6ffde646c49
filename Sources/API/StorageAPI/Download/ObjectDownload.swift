import FirestoreModel
import HTTPTypes
import ObjectStorage
import ServiceModule

/// The answer with an object's bytes: whole or a range, as the client's conditions say.
package struct ObjectDownload: Sendable {
  private let object: StoredObject
  private let request: HTTPFields

  /// The download that those headers ask for.
  package init(_ object: StoredObject, _ request: HTTPFields) {
    self.object = object
    self.request = request
  }

  /// The answer, whose bytes are read as the client takes them.
  package func response(_ bucket: Bucket) async throws -> ServiceResponse {
    let tag = "\"\(object.entityTag)\""
    if let wanted = request[.ifMatch], !Self.list(wanted, has: tag) {
      throw StorageError(.conditionNotMet, "Precondition Failed")
    }
    if let known = request[.ifNoneMatch], Self.list(known, has: tag) {
      return ServiceResponse(status: .notModified, headers: [.eTag: tag])
    }
    let range = try byteRange(tag)
    let content = try await bucket.content(of: object)
    var response = ServiceResponse(headers: headers)
    response.headers[.eTag] = tag
    switch range {
    case .whole:
      response.headers[.contentLength] = "\(object.size)"
      response.headers[.googHash] = hashes
      response.body = Self.body(content, 0..<object.size)
    case .part(let range):
      response.status = .partialContent
      response.headers[.contentLength] = "\(range.upperBound - range.lowerBound)"
      response.headers[.contentRange] =
        "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(object.size)"
      response.body = Self.body(content, range)
    }
    return response
  }

  /// A range of another generation is no use to the client: it gets all.
  private func byteRange(_ tag: String) throws -> ByteRange {
    if let wanted = request[.ifRange], wanted != tag { return .whole }
    return try ByteRange(request[.range], size: object.size)
  }

  private static func body(_ content: ObjectContent, _ range: Range<Int64>) -> ServiceResponse.Body
  {
    guard !range.isEmpty else { return .bytes([]) }
    return .stream { writer in
      for try await part in content.parts(range) { try await writer.write(part) }
    }
  }

  /// Whether a list of entity tags has one, or any.
  private static func list(_ header: String, has tag: String) -> Bool {
    header.split(separator: ",").contains { part in
      var part = part.drop { $0 == " " }
      if part.hasPrefix("W/") { part = part.dropFirst(2) }
      return part == "*" || part.prefix(tag.count) == tag
    }
  }

  /// What is stored of the content, for the whole of it.
  private var hashes: String {
    let crc = "crc32c=" + Base64.standard(CRC32C.bytes(of: object.hashes.crc32c))
    return object.hashes.md5.map { "\(crc),md5=\(Base64.standard($0))" } ?? crc
  }

  private var headers: HTTPFields {
    let attributes = object.attributes
    var fields: HTTPFields = [
      .contentType: attributes.contentType?.string ?? "application/octet-stream",
      .acceptRanges: "bytes", .xContentTypeOptions: "nosniff",
      .contentSecurityPolicy: "sandbox; default-src 'none'",
    ]
    fields[.cacheControl] = attributes.cacheControl?.string ?? "private, max-age=0"
    fields[.contentDisposition] = attributes.contentDisposition?.string
    fields[.contentEncoding] = attributes.contentEncoding?.string
    fields[.contentLanguage] = attributes.contentLanguage?.string
    fields[.lastModified] = HTTPDate.text(object.updated)
    fields[.googGeneration] = "\(object.generation)"
    fields[.googMetageneration] = "\(object.metageneration)"
    fields[.googStorageClass] = attributes.storageClass.string
    fields[.googStoredEncoding] = attributes.contentEncoding?.string ?? "identity"
    fields[.googStoredLength] = "\(object.size)"
    return fields
  }
}

extension HTTPField.Name {
  static let googGeneration = Self("x-goog-generation") ?? .from
  static let googMetageneration = Self("x-goog-metageneration") ?? .from
  static let googStorageClass = Self("x-goog-storage-class") ?? .from
  static let googStoredEncoding = Self("x-goog-stored-content-encoding") ?? .from
  static let googStoredLength = Self("x-goog-stored-content-length") ?? .from
}
