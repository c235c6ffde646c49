import Access
import BaseJSON
import BaseStatus
import BaseText
import FirestoreWire
import HTTPTypes
import ObjectStorage
import ServiceModule

extension ServiceRequest {
  /// True if every escape of the path is valid, and the result is UTF-8.
  var hasSoundPath: Bool { PercentEncoding.decode(path[...]) != nil }
}

/// A request for Storage on its way through a handler.
package struct StorageCall: Sendable {
  /// The request; the escapes of its path are known to be sound.
  package let request: ServiceRequest
  /// The parameters of its URL.
  package let query: StorageQuery
  /// The services that all calls share.
  package let environment: StorageEnvironment

  /// The largest body of JSON.
  package static let jsonLimit = 2 << 20

  /// A call of that request.
  package init(_ request: ServiceRequest, _ environment: StorageEnvironment) throws(StorageError) {
    self.request = request
    self.environment = environment
    guard request.hasSoundPath else {
      throw StorageError(.invalid, "The URL's path has a malformed escape.")
    }
    query = try StorageQuery(request.query)
  }

  /// The storage of the environment.
  package var storage: ObjectStorage { environment.storage }

  /// Identifies the caller; may wait for the disk.
  package func caller() async throws -> Caller {
    let (access, context) = (environment.access, request.context)
    if let known = try access.identifyInMemory(context) { return known }
    return try await environment.threads.run { try access.identify(context) }
  }

  /// The account behind the call's credentials; may wait for the disk.
  func account() async throws -> CallerAccount {
    let (access, context) = (environment.access, request.context)
    return try await environment.threads.run { try access.account(of: context) }
  }

  /// The bucket of a name, for an administrator; throws for other callers.
  ///
  /// A request that writes makes one that its first use makes; a request that reads or deletes finds nothing in it.
  package func administratorsBucket(_ name: String) async throws -> Bucket {
    guard ![.get, .head, .delete].contains(request.method) else {
      return try await readableBucket(name)
    }
    return try await storage.bucket(try await administratorPermit(forBucket: name))
  }

  /// The same for a read, with any method.
  package func readableBucket(_ name: String) async throws -> Bucket {
    try await storage.readableBucket(try await administratorPermit(forBucket: name))
  }

  /// A permit to administer the bucket of that name.
  package func administratorPermit(forBucket name: String) async throws -> BucketPermit {
    let (access, caller) = (environment.access, try await caller())
    guard case .projectAdministrator = caller else {
      try access.requireAdministration(caller)
      return try permit(caller, try await id(ofBucket: name))
    }
    // Administrators of other projects can't find out the bucket names of this one.
    let bucket = try await id(ofBucket: name)
    guard caller.administers(bucket.project) else { throw Self.noBucket }
    return try permit(caller, bucket)
  }

  private func permit(_ caller: Caller, _ bucket: BucketID) throws -> BucketPermit {
    let access = environment.access
    var permit = try access.administratorPermit(
      for: caller,
      bucket,
      check: access.check(of: caller, in: bucket.project, request.context)
    )
    permit.eventDepth = request.context.eventDepth
    return permit
  }

  /// Throws for what a request asks to be kept of an object, or of its bytes, that nothing here keeps.
  func refuseWhatIsNotKept() throws(StorageError) {
    for name in ["predefinedAcl", "destinationPredefinedAcl", "predefinedDefaultObjectAcl"] {
      guard let list = query[name], !AccessLists.arePrivate(list) else { continue }
      throw AccessLists.refusal("\(name)=\(list.prefix(40))")
    }
    guard query["kmsKeyName"] == nil, query["destinationKmsKeyName"] == nil,
      request.headers[.encryptionAlgorithm] == nil
    else {
      throw StorageError(.unsupported, "Customer-supplied encryption keys are not supported.")
    }
  }

  /// The bucket in the path, for an administrator.
  package func administratorsBucket() async throws -> Bucket {
    try await administratorsBucket(parameter("bucket"))
  }

  /// The bucket of that name with its project; one without a project is not found.
  package func id(ofBucket name: String) async throws -> BucketID {
    let name = try BucketName(name)
    guard let project = try await storage.project(ofBucket: name) else {
      throw Self.noBucket
    }
    return BucketID(project: project, name: name.text)
  }

  private static let noBucket = StorageError(.notFound, "The specified bucket does not exist.")

  /// Returns the value that the path has for a variable.
  package func parameter(_ name: String) -> String { request.parameters[name] ?? "" }

  /// The object's name in the path.
  package func objectName(_ variable: String = "object") throws -> ObjectName {
    try ObjectName(parameter(variable))
  }

  /// The body as a JSON object; an empty one is an empty object.
  package func json() async throws -> JSONValue {
    let bytes = try await request.collectText(upTo: Self.jsonLimit)
    return try Self.object(bytes)
  }

  /// Bytes as a JSON object; none are an empty one.
  package static func object(_ bytes: [UInt8]) throws -> JSONValue {
    guard !bytes.isEmpty else { return .object([JSONValue.Member]()) }
    do {
      let value = try JSONParser.parse(bytes)
      guard case .object = value else { throw StorageError(.invalid, "Parse Error") }
      return value
    } catch let error as ServiceError {
      throw StorageError(.invalid, "Parse Error", cause: error)
    }
  }

  /// The URL by which the client reached the server, without a path.
  package var origin: String {
    let scheme = request.context.isSecure ? "https" : "http"
    return "\(scheme)://\(request.head.authority ?? "localhost")"
  }
}

extension HTTPField.Name {
  /// Says that the client encrypts with a key of its own.
  static let encryptionAlgorithm = Self("x-goog-encryption-algorithm") ?? .from
}
