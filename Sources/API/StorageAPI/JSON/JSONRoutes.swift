import Access
import BaseJSON
import HTTPTypes
import ObjectStorage
import ServiceModule

/// Google's JSON API for Storage, for administrators.
///
/// Below `/storage/v1` and, as clients of emulators send it, below the root:
///
///     GET, POST                     /b                                          lists, makes buckets
///     GET, PATCH, PUT, DELETE       /b/{bucket}
///     GET                           /b/{bucket}/storageLayout                   that there are no folders
///     GET                           /b/{bucket}/o                               lists objects
///     GET, PATCH, PUT, DELETE       /b/{bucket}/o/{object}                      GET with alt=media: the bytes
///     POST                          /b/{bucket}/o/{object}/compose
///     POST                          /b/{bucket}/o/{object}/restore
///     POST                          /b/{bucket}/o/{object}/moveTo/o/{target}
///     POST                          /b/{bucket}/o/{object}/copyTo/b/{targetBucket}/o/{target}
///     POST                          /b/{bucket}/o/{object}/rewriteTo/b/{targetBucket}/o/{target}
///     GET, PUT                      /b/{bucket}/iam, /b/{bucket}/iam/testPermissions
///     GET                           /b/{bucket}/notificationConfigs             none
///     GET                           /b/{bucket}/managedFolders                  none
///     all                           /b/{bucket}/folders, …                      refused by name
///     GET                           /projects/{project}/serviceAccount
///     GET, POST                     /projects/{project}/hmacKeys                lists, makes shared secrets
///     GET, PUT, DELETE              /projects/{project}/hmacKeys/{key}
///
/// and
///
///     GET                           /download/storage/v1/b/{bucket}/o/{object}  the bytes
///     POST, PUT, DELETE             /upload/storage/v1/b/{bucket}/o             JSONUpload.swift
struct JSONRoutes: Sendable {
  let environment: StorageEnvironment

  typealias Answer = @Sendable (StorageCall) async throws -> ServiceResponse

  var all: [HTTPRoute] {
    ["/storage/v1", ""].flatMap { root in
      buckets(root) + objects(root) + copies(root) + administration(root) + keys(root)
    } + content
  }

  /// A route whose errors are this API's.
  ///
  /// - Parameter isConditional: True if the handler supports the conditions of the request's headers; others refuse them.
  func route(
    _ method: HTTPRequest.Method,
    _ pattern: String,
    takesStream: Bool = false,
    isConditional: Bool = false,
    _ answer: @escaping Answer
  ) -> HTTPRoute {
    var route = HTTPRoute(
      method,
      RoutePattern(pattern),
      for: .administrators
    ) { [environment] request in
      do {
        let call = try StorageCall(request, environment)
        try call.refuseWhatIsNotKept()
        if !isConditional { try call.refuseConditions() }
        return try await answer(call)
      } catch {
        return try JSONErrors.response(error, request)
      }
    }
    route.takesStream = takesStream
    return route.openToViewers()
  }

  private func conditional(
    _ method: HTTPRequest.Method,
    _ pattern: String,
    _ answer: @escaping Answer
  ) -> HTTPRoute {
    route(method, pattern, isConditional: true, answer)
  }

  private func buckets(_ root: String) -> [HTTPRoute] {
    let bucket = root + "/b/{bucket}"
    return [
      route(.get, root + "/b") { try await $0.listBuckets() },
      route(.post, root + "/b") { try await $0.makeBucket() },
      conditional(.get, bucket) { try await $0.getBucket() },
      route(.get, bucket + "/storageLayout") { try await $0.storageLayout() },
      conditional(.patch, bucket) { try await $0.changeBucket(isReplacement: false) },
      conditional(.put, bucket) { try await $0.changeBucket(isReplacement: true) },
      conditional(.delete, bucket) { try await $0.deleteBucket() },
    ]
  }

  private func objects(_ root: String) -> [HTTPRoute] {
    let object = root + "/b/{bucket}/o/{object}"
    var reading = conditional(.get, object) { call in
      call.query["alt"] == "media" ? try await call.download() : try await call.getObject()
    }
    reading.memoryHandler = { [environment] request in
      let call = try StorageCall(request, environment)
      return call.query["alt"] == "media" ? try call.downloadFromMemory() : nil
    }
    return [
      route(.get, root + "/b/{bucket}/o") { try await $0.listObjects() },
      // Some clients have a slash before the parameters.
      route(.get, root + "/b/{bucket}/o/") { try await $0.listObjects() }, reading,
      conditional(.patch, object) { try await $0.changeObject(isReplacement: false) },
      conditional(.put, object) { try await $0.changeObject(isReplacement: true) },
      conditional(.post, object) { call in
        let override = call.request.headers[.methodOverride] ?? ""
        guard override == "PATCH" else {
          guard call.parameter("object") == "watch" else {
            throw StorageError(.notFound, "Not Found")
          }
          return try await call.refuse("Object change notifications are not supported.")
        }
        return try await call.changeObject(isReplacement: false)
      },
      conditional(.delete, object) { try await $0.deleteObject() },
    ]
  }

  private func copies(_ root: String) -> [HTTPRoute] {
    let object = root + "/b/{bucket}/o/{object}"
    let target = "/b/{targetBucket}/o/{target}"
    return [
      conditional(.post, object + "/compose") { try await $0.compose() },
      conditional(.post, object + "/restore") { try await $0.restore() },
      conditional(.post, object + "/moveTo/o/{target}") { try await $0.move() },
      conditional(.post, object + "/copyTo" + target) { try await $0.copy() },
      conditional(.post, object + "/rewriteTo" + target) { try await $0.rewrite() },
    ]
  }

  private func administration(_ root: String) -> [HTTPRoute] {
    let bucket = root + "/b/{bucket}"
    let lists = ["/acl", "/defaultObjectAcl", "/o/{object}/acl"].flatMap { path in
      HTTPRoute.everyMethod.flatMap { method in
        [
          route(method, bucket + path) { try await $0.refuseACL() },
          route(method, bucket + path + "/{entity}") { try await $0.refuseACL() },
        ]
      }
    }
    return lists + refusals(root) + [
      route(.get, bucket + "/iam") { try await $0.policy() },
      route(.put, bucket + "/iam") {
        try await $0.refuse(
          "IAM policies are not supported. Service accounts and rules decide about access."
        )
      },
      route(.get, bucket + "/iam/testPermissions") { try await $0.testPermissions() },
      route(.get, bucket + "/notificationConfigs") { call in
        _ = try await call.administratorsBucket()
        return .json(JSONValue.object(["kind": .string("storage#notifications")]).compactBytes)
      },
      route(.get, bucket + "/managedFolders") { call in
        _ = try await call.administratorsBucket()
        return .json(JSONValue.object(["kind": .string("storage#managedFolders")]).compactBytes)
      },
      route(.get, root + "/projects/{project}/serviceAccount") { try await $0.serviceAccount() },
    ]
  }

  /// The requests that clients may make and that are not supported, each refused by its name.
  private func refusals(_ root: String) -> [HTTPRoute] {
    let bucket = root + "/b/{bucket}"
    let folders = "Managed folders are not supported. Use slashes in the names of objects."
    let notifications = "Pub/Sub notifications are not supported."
    let absent = [
      (bucket + "/notificationConfigs/{id}", notifications),
      (bucket + "/folders", folders), (bucket + "/folders/{path=**}", folders),
      (bucket + "/managedFolders/{path=**}", folders),
      (bucket + "/anywhereCaches", "Anywhere caches are not supported."),
      (bucket + "/anywhereCaches/{path=**}", "Anywhere caches are not supported."),
    ]
    let commands = [
      (bucket + "/notificationConfigs", notifications),
      (bucket + "/managedFolders", folders),
      (bucket + "/lockRetentionPolicy", "Retention policies are not supported."),
      (root + "/channels/stop", "Object change notifications are not supported."),
    ]
    return absent.flatMap { path, message in
      HTTPRoute.everyMethod.map { route($0, path) { try await $0.refuse(message) } }
    }
      + commands.map { path, message in
        route(.post, path) { try await $0.refuse(message) }
      }
  }

  private func keys(_ root: String) -> [HTTPRoute] {
    let all = root + "/projects/{project}/hmacKeys"
    let one = all + "/{key}"
    return [
      route(.post, all) { try await $0.makeHMACKey() }.performing(.changeSharedSecrets),
      route(.get, all) { try await $0.listHMACKeys() }.performing(.readSharedSecrets),
      route(.get, one) { try await $0.getHMACKey() }.performing(.readSharedSecrets),
      route(.put, one) { try await $0.changeHMACKey() }.performing(.changeSharedSecrets),
      route(.delete, one) { try await $0.deleteHMACKey() }.performing(.changeSharedSecrets),
    ]
  }

  private var content: [HTTPRoute] {
    let paths = ["", "/resumable"].flatMap { root in
      ["", "/"].map { end in "\(root)/upload/storage/v1/b/{bucket}/o\(end)" }
    }
    let uploads = paths.flatMap { path in
      [HTTPRequest.Method.post, .put, .delete].map { method in
        route(method, path, takesStream: true, isConditional: true) {
          try await JSONUpload($0).answer()
        }
      }
    }
    var download = conditional(.get, "/download/storage/v1/b/{bucket}/o/{object}") {
      try await $0.download()
    }
    download.memoryHandler = { [environment] request in
      try StorageCall(request, environment).downloadFromMemory()
    }
    return uploads + [download]
  }
}

extension HTTPField.Name {
  static let methodOverride = Self("x-http-method-override") ?? .from
}

extension StorageCall {
  /// A JSON response, or the part of it that the client wants.
  func answer(_ value: JSONValue) throws -> ServiceResponse {
    guard let fields = query["fields"], !fields.isEmpty else { return .json(value.compactBytes) }
    return .json(try FieldsMask(fields).apply(to: value).compactBytes)
  }

  /// The answer with an object.
  func answer(_ object: StoredObject) throws -> ServiceResponse {
    var response = try answer(object.json(origin: origin))
    response.headers[.eTag] = EntityTags.header(object.entityTag)
    return response
  }
}
