import Access
import BaseStatus
import FirestoreWire
import HTTPTypes
import ObjectStorage
import ServiceModule
import StorageWire

// Clients that speak JSON and ask for a path of no service, which looks like a bucket's. They
// receive the missing feature in JSON; clients of the XML API get its errors.

extension XMLRoutes {
  /// Refuses a request for a service that Brasa does not have, unless there is a bucket of that name.
  ///
  /// Otherwise a call of a function, say, would make a bucket in development.
  func refuseAbsentService(_ request: XMLRequest) async throws {
    guard !request.base.isOfXMLClient, AbsentService(request.base.head) != nil else { return }
    if let name = try? request.bucket {
      guard BucketID.project(ofDefault: name.text) == nil,
        try await !storage.hasBucket(name)
      else { return }
    }
    throw XMLFailure.noBucket
  }
}

extension XMLFailure {
  /// The response to a request's client, in its words.
  func response(to request: ServiceRequest) -> ServiceResponse {
    guard code == Self.noBucket.code, !request.isOfXMLClient else { return response }
    if let service = AbsentService(request.head) { return Self.absence(service.text) }
    guard request.isOfJSONClient else { return response }
    let path = request.path.prefix(200)
    let bucket = (request.parameters["bucket"] ?? "").prefix(63)
    return Self.absence("Brasa has no service at \(path), and no bucket \(bucket).")
  }

  private static func absence(_ text: String) -> ServiceResponse {
    let error = ServiceError(.notFound, text)
    return .json(RESTError.body(error), status: HTTPResponse.Status(code: 404))
  }
}

extension ServiceRequest {
  /// True where the request shows that its client speaks the XML API, of Google's or of S3.
  fileprivate var isOfXMLClient: Bool {
    let scheme = headers[.authorization]?.uppercased() ?? ""
    if scheme.hasPrefix("AWS") || scheme.hasPrefix("GOOG") { return true }
    let parameters = (query ?? "").split(separator: "&")
    if parameters.contains(where: { Self.xmlResources.contains(String($0)) }) { return true }
    let names = parameters.map { String($0.prefix { $0 != "=" }) }
    if names.contains(where: { Self.xmlParameters.contains($0) }) { return true }
    return headers.contains { field in
      let name = field.name.canonicalName
      return Self.xmlHeaders.contains { name.hasPrefix($0) }
    }
  }

  /// True where the request shows that its client speaks JSON.
  fileprivate var isOfJSONClient: Bool {
    if headers[.accept]?.lowercased().contains("application/json") ?? false { return true }
    if (query ?? "").split(separator: "&").contains("alt=json") { return true }
    if headers.contains(where: { Self.jsonHeaders.contains($0.name.canonicalName) }) { return true }
    let agent = headers[.userAgent]?.lowercased() ?? ""
    return Self.jsonAgents.contains { agent.contains($0) }
  }

  private static let xmlParameters: Set<String> = [
    "AWSAccessKeyId", "GoogleAccessId", "X-Amz-Signature", "X-Goog-Signature", "list-type",
    "partNumber", "upload_id", "uploadId",
  ]
  /// Parameters without a value, which name the parts of a bucket or object beside its content.
  private static let xmlResources: Set<String> = [
    "acl", "cors", "delete", "lifecycle", "location", "policy", "uploads", "versioning", "versions",
  ]
  private static let xmlHeaders = [
    "amz-sdk-", "x-amz-", "x-goog-acl", "x-goog-api-version", "x-goog-content-sha256",
    "x-goog-copy-source", "x-goog-date", "x-goog-if-", "x-goog-meta", "x-goog-project-id",
    "x-goog-resumable",
  ]
  private static let jsonHeaders: Set<String> = ["x-goog-api-client", "x-client-version"]
  private static let jsonAgents = ["apitools", "firebasecli", "gcloud", "google-api-", "gsutil"]
}
