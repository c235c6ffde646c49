import Access
import BaseText
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

// Buckets of the XML API: lists them, looks for one, makes and deletes one.
//
// A list of buckets and a new bucket belong to the project of the HMAC key that signed the request.
// Without one they belong to the project in the header `x-goog-project-id`, or else to the server's
// own.

extension XMLRoutes {
  /// Returns true if a request of the root path is for the list of buckets: all others ask if the server is there.
  static func isForBuckets(_ request: ServiceRequest) -> Bool {
    let header = request.headers[.authorization] ?? ""
    let schemes = ["AWS4-", "GOOG4-"] + Version2Signature.schemes.map { $0.0 + " " }
    return schemes.contains { header.hasPrefix($0) } || request.headers[.projectID] != nil
      || ["-Algorithm=", "AWSAccessKeyId="].contains { (request.query ?? "").contains($0) }
  }

  func listBuckets(_ request: XMLRequest) async throws -> ServiceResponse {
    try request.requireParameters(["prefix", "max-buckets", "continuation-token", "bucket-region"])
    let project = try await project(of: request)
    let prefix = request.parameter("prefix") ?? ""
    let limit = Int(request.parameter("max-buckets") ?? "10000") ?? 0
    guard 1...10_000 ~= limit else { throw XMLFailure.invalid("max-buckets") }
    let permit = try access.administratorPermit(for: .administrator, of: project)
    let first = request.parameter("continuation-token") ?? prefix
    let found = try await storage.buckets(
      of: project,
      from: Text(first),
      limit: limit + 1,
      permit
    )
    let matching = found.filter { $0.name.text.string.hasPrefix(prefix) }
    var elements = [
      Self.owner(project),
      XMLElement("Buckets", matching.prefix(limit).map(Self.element(of:))),
    ]
    if matching.count > limit {
      elements.append(XMLElement("ContinuationToken", matching[limit].name.text.string))
    }
    return .xml(XMLElement("ListAllMyBucketsResult", elements), namespace: Self.namespace)
  }

  private static func element(of bucket: StoredBucket) -> XMLElement {
    XMLElement(
      "Bucket",
      [
        XMLElement("Name", bucket.name.text.string),
        XMLElement("CreationDate", FirebaseMetadata.time(bucket.created)),
      ]
    )
  }

  /// The owner of everything that a project has.
  static func owner(_ project: Text, _ name: String = "Owner") -> XMLElement {
    XMLElement(
      name,
      [XMLElement("ID", project.string), XMLElement("DisplayName", project.string)]
    )
  }

  func headBucket(_ request: XMLRequest) async throws -> ServiceResponse {
    let (bucket, _) = try await bucket(request)
    try request.requireParameters([])
    let location = bucket.stored.configuration.location.string
    return ServiceResponse(headers: [.storage("x-amz-bucket-region"): location])
  }

  // MARK: Making and deleting

  /// Makes a bucket, or sets something of one that is there.
  func configure(_ request: XMLRequest) async throws -> ServiceResponse {
    if request.parameter("cors") != nil {
      try request.requireParameters(["cors"])
      return try await setOriginRules(request)
    }
    if request.parameter("versioning") != nil {
      try request.requireParameters(["versioning"])
      return try await setVersioning(request)
    }
    return try await makeBucket(request)
  }

  private func makeBucket(_ request: XMLRequest) async throws -> ServiceResponse {
    let signature = try await requireAdministrator(request)
    try request.requireParameters([])
    let name: BucketName
    do {
      name = try BucketName(request.base.parameters["bucket"] ?? "")
    } catch {
      throw XMLFailure(400, "InvalidBucketName", "The specified bucket is not valid.")
    }
    let project = try await project(of: request, signature)
    // A name that belongs to a project by its form is that project's, made or not.
    guard BucketID.owner(ofName: name.text) ?? project == project else {
      throw try await taken(name, by: project)
    }
    let configuration = try await newConfiguration(request, signature)
    let id = BucketID(project: project, name: name.text)
    let permit = try access.permit(.administrator, id, requestID: request.base.context.requestID)
    do {
      _ = try await storage.makeBucket(permit, configuration)
    } catch let error as StorageError where error.code == .conflict {
      throw try await taken(name, by: project)
    }
    return ServiceResponse(headers: [.location: "/\(name.text.string)"])
  }

  /// The error for a name that is taken.
  private func taken(_ name: BucketName, by project: Text) async throws -> XMLFailure {
    guard try await storage.project(ofBucket: name) == project else {
      return XMLFailure(409, "BucketAlreadyExists", "The requested bucket name is not available.")
    }
    return XMLFailure(
      409,
      "BucketAlreadyOwnedByYou",
      "Your previous request to create the named bucket succeeded and you already own it."
    )
  }

  /// Reads the settings of a new bucket from headers and body.
  private func newConfiguration(
    _ request: XMLRequest,
    _ signature: VerifiedSignature?
  ) async throws -> BucketConfiguration {
    try request.refuseOpenLists()
    for name in Self.unkeptBucketHeaders {
      guard let value = request.header(name), value.lowercased() != "false" else { continue }
      throw XMLFailure.unsupported(name)
    }
    let ownership = request.header("x-amz-object-ownership") ?? "BucketOwnerEnforced"
    guard ownership == "BucketOwnerEnforced" else {
      throw XMLFailure.unsupported("x-amz-object-ownership: \(ownership.prefix(40))")
    }
    var configuration = BucketConfiguration()
    let text = try await request.signedText(upTo: 64 << 10, signature)
    guard !text.isEmpty else { return configuration }
    let body = try XMLReader.read(text)
    guard body.name == "CreateBucketConfiguration" else { throw XMLFailure.malformed }
    for element in body.children {
      switch element.name {
      case "LocationConstraint":
        if !element.text.isEmpty { configuration.location = Text(element.text) }
      case "StorageClass":
        try AttributesJSON.checkStorageClass(Text(element.text))
        configuration.storageClass = Text(element.text)
      default: throw XMLFailure.unsupported(String(element.name.prefix(100)))
      }
    }
    return configuration
  }

  private static let unkeptBucketHeaders = [
    "x-amz-bucket-object-lock-enabled", "x-goog-encryption-algorithm",
    "x-amz-server-side-encryption",
  ]

  func deleteBucket(_ request: XMLRequest) async throws -> ServiceResponse {
    let (bucket, _) = try await bucket(request)
    if request.parameter("cors") != nil {
      try request.requireParameters(["cors"])
      return try await clearOriginRules(bucket)
    }
    try request.requireParameters([])
    guard bucket.stored.isMade else { throw XMLFailure.noBucket }
    try await bucket.delete()
    return ServiceResponse(status: .noContent)
  }

  // MARK: Projects

  func requireAdministrator(_ request: XMLRequest) async throws -> VerifiedSignature? {
    try await threads.run { [signatures] in try signatures.requireAdministrator(request) }
  }

  private func project(of request: XMLRequest) async throws -> Text {
    try await project(of: request, try await requireAdministrator(request))
  }

  /// The project that a request without a bucket is about.
  private func project(
    of request: XMLRequest,
    _ signature: VerifiedSignature?
  ) async throws -> Text {
    let named = request.base.headers[.projectID].map { Text($0) }
    if case .secret(_, let accessID)? = signature?.key {
      let key = try await threads.run { [storage] in try storage.activeHMACKey(accessID) }
      guard let key, named ?? key.project == key.project else { throw XMLFailure.denied }
      return key.project
    }
    guard let project = named ?? storage.configuration.ownProject, !project.isEmpty else {
      throw XMLFailure.invalid("The header x-goog-project-id is missing.")
    }
    return project
  }
}

extension HTTPField.Name {
  static let projectID = storage("x-goog-project-id")
}
