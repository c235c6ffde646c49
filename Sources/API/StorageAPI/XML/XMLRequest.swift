import BaseText
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

/// A request of the XML API: its path and query, decoded.
struct XMLRequest: Sendable {
  let base: ServiceRequest
  /// In their order.
  let parameters: [(name: String, value: String)]

  init(_ base: ServiceRequest) throws(XMLFailure) {
    self.base = base
    var parameters: [(name: String, value: String)] = []
    let query = base.query ?? ""
    let isForm = Version2Signature.isSigned(query: query)
    for part in query.split(separator: "&") {
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(halves[0], plusIsSpace: isForm),
        let value = PercentEncoding.decode(
          halves.count > 1 ? halves[1] : "",
          plusIsSpace: isForm
        )
      else { throw .invalid("The URL's query has a malformed escape.") }
      parameters.append((name, value))
    }
    self.parameters = parameters
  }

  func parameter(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

  func header(_ name: String) -> String? {
    HTTPField.Name(name).flatMap { base.headers[$0] }
  }

  /// True for a path that has nothing but a slash behind the bucket's name.
  var namesBucket: Bool { base.rest == [""] }

  /// True for a request that stores nothing, which makes no bucket that is not there.
  var makesNoBucket: Bool {
    switch base.method {
    case .put: false
    case .post: parameter("uploads") == nil && !startsResumableUpload
    default: true
    }
  }

  /// True for a request that begins a resumable upload.
  var startsResumableUpload: Bool { header("x-goog-resumable")?.lowercased() == "start" }

  /// The bucket that the path names.
  var bucket: BucketName {
    get throws {
      guard let name = try? BucketName(base.parameters["bucket"] ?? "") else {
        throw XMLFailure.noBucket
      }
      return name
    }
  }

  /// The object that the path names.
  var object: ObjectName {
    get throws {
      guard base.hasSoundPath else {
        throw XMLFailure.invalid("The URL's path has a malformed escape.")
      }
      return try ObjectName(base.rest.joined(separator: "/"))
    }
  }

  /// The request as signatures are about it.
  var signable: SignableRequest {
    var headers: [String: String] = [:]
    for field in base.headers {
      let name = field.name.canonicalName
      headers[name] = headers[name].map { "\($0),\(field.value)" } ?? field.value
    }
    headers["host"] = headers["host"] ?? base.head.authority
    return SignableRequest(
      method: base.head.method.rawValue,
      path: base.path,
      parameters: parameters,
      headers: headers
    )
  }

  /// Returns the object and the expected bytes that an upload's headers describe.
  func newObject(_ name: ObjectName) throws -> NewObject {
    var new = NewObject(name, preconditions: try writePreconditions())
    new.attributes = try attributes()
    new.expected = try expected()
    return new
  }

  func attributes() throws -> ObjectAttributes {
    try refuseWhatIsNotKept()
    var attributes = ObjectAttributes()
    attributes.contentType = base.headers[.contentType].map { Text($0) }
    attributes.cacheControl = base.headers[.cacheControl].map { Text($0) }
    attributes.contentDisposition = base.headers[.contentDisposition].map { Text($0) }
    attributes.contentEncoding = contentEncoding.map { Text($0) }
    attributes.contentLanguage = base.headers[.contentLanguage].map { Text($0) }
    if let storageClass = header("x-goog-storage-class") ?? header("x-amz-storage-class") {
      try AttributesJSON.checkStorageClass(Text(storageClass))
      attributes.storageClass = Text(storageClass)
    }
    if let time = header("x-goog-custom-time"), !attributes.setCustomTime(time) {
      throw XMLFailure.invalid("x-goog-custom-time is not an RFC 3339 time.")
    }
    for field in base.headers {
      let name = field.name.canonicalName
      for prefix in ["x-goog-meta-", "x-amz-meta-"] where name.hasPrefix(prefix) {
        attributes.metadata[Text(String(name.dropFirst(prefix.count)))] = Text(field.value)
      }
    }
    // Tokens are made by Firebase's dialect and administrators' JSON alone.
    attributes.metadata = attributes.metadata.filter { $0.key.string.lowercased() != Self.tokens }
    return attributes
  }

  private func refuseWhatIsNotKept() throws(XMLFailure) {
    try refuseOpenLists()
    for name in Self.unkeptHeaders where header(name) != nil { throw .unsupported(name) }
  }

  /// Throws for an access control list that opens something.
  func refuseOpenLists() throws(XMLFailure) {
    for name in ["x-goog-acl", "x-amz-acl"] {
      guard let list = header(name), !AccessLists.arePrivate(list) else { continue }
      throw .invalid(AccessLists.refusal("\(name): \(list.prefix(40))").message)
    }
    let grant = base.headers.first { $0.name.canonicalName.hasPrefix("x-amz-grant-") }
    if let grant { throw .unsupported(grant.name.canonicalName) }
  }

  /// The encoding of the content, without the chunks in which it comes.
  private var contentEncoding: String? {
    guard let header = base.headers[.contentEncoding] else { return nil }
    guard header.lowercased().contains("aws-chunked") else { return header }
    let encodings = header.split(separator: ",").map { $0.filter { $0 != " " } }
      .filter { $0.lowercased() != "aws-chunked" }
    return encodings.isEmpty ? nil : encodings.joined(separator: ", ")
  }

  private static let unkeptHeaders = [
    "x-goog-encryption-algorithm", "x-amz-server-side-encryption-customer-algorithm",
    "x-amz-server-side-encryption", "x-amz-server-side-encryption-aws-kms-key-id",
    "x-amz-tagging", "x-amz-object-lock-mode", "x-amz-object-lock-retain-until-date",
    "x-amz-object-lock-legal-hold", "x-amz-website-redirect-location", "x-amz-write-offset-bytes",
  ]

  private static let tokens = ObjectAttributes.tokensKey.string.lowercased()

  /// Returns the expected size and hashes of the bytes, by the headers.
  func expected() throws -> ExpectedContent {
    var expected = ExpectedContent()
    expected.size =
      isChunked ? try decodedLength() : base.headers[.contentLength].flatMap { Int64($0) }
    if let text = header("content-md5") { expected.md5 = try Self.digest(text, 16) }
    try readHashes(into: &expected)
    return expected
  }

  /// Reads the header `x-goog-hash` about the object's bytes, in every request.
  func readHashes(into expected: inout ExpectedContent) throws {
    for part in (header("x-goog-hash") ?? "").split(separator: ",") {
      let halves = part.split(separator: "=", maxSplits: 1)
      guard halves.count == 2 else { throw XMLFailure.invalid("x-goog-hash is malformed.") }
      switch halves[0].filter({ $0 != " " }) {
      case "md5": expected.md5 = try Self.digest(String(halves[1]), 16)
      case "crc32c":
        expected.crc32c = try Self.digest(String(halves[1]), 4).reduce(0) { $0 << 8 | UInt32($1) }
      default: throw XMLFailure.invalid("x-goog-hash names an unknown hash.")
      }
    }
  }

  static func digest(_ text: String, _ count: Int) throws -> [UInt8] {
    guard let bytes = Base64.decode(text.filter { $0 != " " }), bytes.count == count else {
      throw XMLFailure(400, "InvalidDigest", "The digest you provided was invalid.")
    }
    return bytes
  }

  /// The preconditions on an object; those of a copy's source have another beginning.
  func preconditions(_ prefix: String = "x-goog-if") throws -> ObjectPreconditions {
    var conditions = ObjectPreconditions()
    conditions.generation = try number("\(prefix)-generation-match")
    conditions.metageneration = try number("\(prefix)-metageneration-match")
    return conditions
  }

  /// The preconditions on the object that a request changes, those by its tag too.
  func writePreconditions() throws -> ObjectPreconditions {
    for name in ["if-modified-since", "if-unmodified-since"] where header(name) != nil {
      throw XMLFailure.unsupported(name)
    }
    var conditions = try preconditions()
    conditions.entityTags = entityTags("if-match")
    conditions.notEntityTags = entityTags("if-none-match")
    return conditions
  }

  /// The tags that a header lists, without their quotes; nil where it is not there.
  func entityTags(_ name: String) -> [String]? { header(name).map(EntityTags.list) }

  /// A header that is a number; nil where it is not there.
  func number(_ name: String) throws -> Int64? {
    guard let text = header(name) else { return nil }
    guard let number = Int64(text) else { throw XMLFailure.invalid("\(name) must be a number.") }
    return number
  }

  /// The generation that the query names, in S3's words a version; nil is the live one.
  func generation() throws -> Int64? {
    let named = parameters.filter { Self.generationParameters.contains($0.name) }
    guard let (name, text) = named.first else { return nil }
    guard named.count == 1, let number = Int64(text) else {
      throw XMLFailure.invalid("\(name) must be a number.")
    }
    return number
  }

  static let generationParameters: Set<String> = ["generation", "versionId"]

  /// Refuses by its name a parameter that is none of those, and signs nothing: what it asks for would not be done.
  func requireParameters(_ known: Set<String>) throws(XMLFailure) {
    // boto3 says in the URL again which headers it has signed; another value of such a header has no signature.
    let common =
      parameter("AWSAccessKeyId") == nil
      ? Self.commonParameters : Self.commonParameters.union(["content-md5", "content-type"])
    let unknown = parameters.first { name, _ in
      !known.contains(name) && !common.contains(name) && !name.hasPrefix("X-Goog-")
        && !name.hasPrefix("X-Amz-") && !Version2Signature.parameters.contains(name)
    }
    if let unknown { throw .unsupported(unknown.name) }
  }

  /// The parameters that every request may have and that mean nothing here: the project that pays,
  /// and S3 clients' name of the operation.
  private static let commonParameters: Set<String> = ["userProject", "x-id"]
}
