import Access
import BaseJSON
import BaseText
import HTTPTypes
import ObjectStorage
import ServiceModule

extension StorageCall {
  func listBuckets() async throws -> ServiceResponse {
    let caller = try await caller()
    let project = projectOfBuckets ?? ""
    let permit = try environment.access.administratorPermit(for: caller, of: project)
    guard !project.isEmpty else { throw StorageError(.invalid, "Required parameter: project") }
    let limit = try pageSize()
    let from = query["pageToken"] ?? query["prefix"] ?? ""
    let found = try await storage.buckets(
      of: project,
      from: Text(from),
      limit: limit + 1,
      permit
    )
    let prefix = query["prefix"] ?? ""
    let matching = found.filter { $0.name.text.string.hasPrefix(prefix) }
    let page = matching.prefix(limit)
    var members: [JSONValue.Member] = [
      JSONValue.Member("kind", .string("storage#buckets"))
    ]
    if !page.isEmpty {
      let items = page.map { $0.json(origin: origin) }
      members.append(JSONValue.Member("items", .array(items)))
    }
    if matching.count > limit {
      let next = JSONValue.text(matching[limit].name.text)
      members.append(JSONValue.Member("nextPageToken", next))
    }
    return try answer(.object(members))
  }

  /// The project whose buckets are listed or made; development takes its own where a request names none.
  private var projectOfBuckets: Text? {
    if let named = query["project"], !named.isEmpty { return Text(named) }
    let configuration = storage.configuration
    return configuration.makesBuckets ? configuration.ownProject : nil
  }

  /// Returns the page size that the client wants, cut to the largest allowed one.
  func pageSize() throws -> Int {
    let wanted = try query.integer("maxResults") ?? 1_000
    guard wanted > 0 else { throw StorageError(.invalid, "Invalid value for maxResults.") }
    return Int(min(wanted, 1_000))
  }

  func makeBucket() async throws -> ServiceResponse {
    let caller = try await caller()
    try environment.access.requireAdministration(caller, of: projectOfBuckets)
    let change = try BucketChange(try await json())
    guard let project = projectOfBuckets, !project.isEmpty, let name = change.name else {
      throw StorageError(.invalid, "Required parameters: project, name")
    }
    var configuration = BucketConfiguration()
    change.apply(to: &configuration)
    let id = BucketID(project: project, name: Text(name))
    let permit = try environment.access.administratorPermit(for: caller, id)
    let bucket = try await storage.makeBucket(permit, configuration)
    return try answer(bucket.stored)
  }

  func getBucket() async throws -> ServiceResponse {
    let bucket = try await storage.description(
      try await administratorPermit(forBucket: parameter("bucket"))
    )
    guard try !bucketPreconditions().isKnown(bucket) else {
      return ServiceResponse(
        status: .notModified,
        headers: [.eTag: EntityTags.header(bucket.entityTag)]
      )
    }
    return try answer(bucket)
  }

  /// The response with a bucket.
  private func answer(_ bucket: StoredBucket) throws -> ServiceResponse {
    var response = try answer(bucket.json(origin: origin))
    response.headers[.eTag] = EntityTags.header(bucket.entityTag)
    return response
  }

  /// - Parameter isReplacement: True if settings that the request omits are removed.
  func changeBucket(isReplacement: Bool) async throws -> ServiceResponse {
    let bucket = try await administratorsBucket()
    let change = try BucketChange(try await json())
    let changed = try await bucket.update(try bucketPreconditions()) { configuration in
      if isReplacement { configuration = configuration.cleared }
      change.apply(to: &configuration)
    }
    return try answer(changed)
  }

  func deleteBucket() async throws -> ServiceResponse {
    let bucket = try await administratorsBucket()
    try await bucket.delete(try bucketPreconditions())
    return ServiceResponse(status: .noContent)
  }

  /// Shows the layout of names: there are no folders but what slashes in names mean.
  func storageLayout() async throws -> ServiceResponse {
    let bucket = try await storage.description(
      try await administratorPermit(forBucket: parameter("bucket"))
    )
    return try answer(
      .object([
        "kind": .string("storage#storageLayout"), "bucket": .text(bucket.name.text),
        "location": .text(bucket.configuration.location), "locationType": .string("region"),
        "hierarchicalNamespace": .object(["enabled": .boolean(false)]),
      ])
    )
  }

  // MARK: Rights

  func refuseACL() async throws -> ServiceResponse {
    _ = try await administratorsBucket()
    throw StorageError(
      .invalid,
      "Cannot use ACL API when uniform bucket-level access is enabled. Use rules for access control."
    )
  }

  /// Refuses what does not exist here, once the caller may ask for it.
  func refuse(_ message: String) async throws -> ServiceResponse {
    if request.parameters["bucket"] != nil {
      _ = try await administratorsBucket()
    } else {
      try environment.access.requireAdministration(try await caller())
    }
    throw StorageError(.unsupported, message)
  }

  /// Returns the policy that is true here: an administrator may do all.
  func policy() async throws -> ServiceResponse {
    let bucket = try await administratorsBucket()
    return try answer(
      .object([
        "kind": .string("storage#policy"),
        "resourceId": .string("projects/_/buckets/\(bucket.name.text.string)"),
        "version": .number("1"), "etag": .string("CAE="), "bindings": .array([]),
      ])
    )
  }

  func testPermissions() async throws -> ServiceResponse {
    _ = try await administratorsBucket()
    let asked = (request.query ?? "").split(separator: "&").compactMap { part -> String? in
      guard part.hasPrefix("permissions=") else { return nil }
      return PercentEncoding.decode(part.dropFirst("permissions=".count), plusIsSpace: true)
    }
    return try answer(
      .object([
        "kind": .string("storage#testIamPermissionsResponse"),
        "permissions": .array(asked.map(JSONValue.string)),
      ])
    )
  }

  func serviceAccount() async throws -> ServiceResponse {
    try environment.access.requireAdministration(try await caller(), of: request.project)
    let number = StoredBucket.number(ofProject: Text(parameter("project")))
    return try answer(
      .object([
        "kind": .string("storage#serviceAccount"),
        "email_address": .string("service-\(number)@gs-project-accounts.iam.gserviceaccount.com"),
      ])
    )
  }
}
