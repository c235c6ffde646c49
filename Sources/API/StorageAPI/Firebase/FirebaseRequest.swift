import BaseJSON
import HTTPTypes
import ObjectStorage
import ServiceModule

/// A request of Firebase's dialect: its path and query, decoded.
struct FirebaseRequest: Sendable {
  let base: ServiceRequest
  private let parameters: StorageQuery

  /// Reads a request's query; of a parameter that comes twice the last counts.
  init(_ base: ServiceRequest) throws(FirebaseFailure) {
    self.base = base
    guard base.hasSoundPath else { throw .badRequest("The URL's path has a malformed escape.") }
    do {
      parameters = try StorageQuery(base.query)
    } catch {
      throw .badRequest(error.message)
    }
  }

  func parameter(_ name: String) -> String? { parameters[name] }

  /// A header's value; names in lower case.
  func header(_ name: String) -> String? {
    HTTPField.Name(name).flatMap { base.headers[$0] }
  }

  /// The bucket that the path names.
  var bucket: BucketName {
    get throws { try BucketName(base.parameters["bucket"] ?? "") }
  }

  /// The object that the path names.
  func objectName() throws -> ObjectName {
    guard let name = base.parameters["object"] else { throw FirebaseFailure.notFound }
    return try ObjectName(name)
  }

  /// The object that an upload is for, by its query, its path or its metadata.
  func uploadName(_ metadata: JSONValue) throws -> ObjectName {
    let names = [parameter("name"), base.parameters["object"], metadata["name"]?.string]
    guard let name = names.lazy.compactMap(\.self).first(where: { !$0.isEmpty }) else {
      throw FirebaseFailure.badRequest("The name of the object is missing.")
    }
    return try ObjectName(name)
  }

  /// The body, where it is metadata.
  func metadataBody() async throws -> [UInt8] {
    try await base.collectText(upTo: Self.metadataLimit)
  }

  /// The largest size of metadata as JSON.
  static let metadataLimit = 64 << 10

  /// The preconditions of the query and the headers on the stored object.
  func preconditions() throws -> ObjectPreconditions {
    var conditions = try queryPreconditions()
    try conditions.add(base.headers, isReading: base.method == .get || base.method == .head)
    return conditions
  }

  /// The preconditions of the query on the stored object; downloads read the headers themselves.
  func queryPreconditions() throws(FirebaseFailure) -> ObjectPreconditions {
    var conditions = ObjectPreconditions()
    conditions.generation = try number("ifGenerationMatch")
    conditions.notGeneration = try number("ifGenerationNotMatch")
    conditions.metageneration = try number("ifMetagenerationMatch")
    conditions.notMetageneration = try number("ifMetagenerationNotMatch")
    return conditions
  }

  private func number(_ name: String) throws(FirebaseFailure) -> Int64? {
    guard let text = parameters[name] else { return nil }
    guard let number = Int64(text) else { throw .badRequest("\(name) must be a number.") }
    return number
  }
}
