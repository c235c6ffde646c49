import BaseJSON
import BaseText
import HTTPTypes
import ObjectStorage
import ServiceModule

// Which pages of other origins may call: what the bucket's configuration says. Pages without an entry get a response
// that their browser keeps from them.

extension XMLRoutes {
  /// The answer to a browser's question before a request.
  func preflight(_ request: ServiceRequest) async throws -> ServiceResponse {
    var response = ServiceResponse()
    guard let origin = request.headers[.origin],
      let method = request.headers[.accessControlRequestMethod],
      let rules = try await originRules(request)
    else { return response }
    response.headers[.vary] = "Origin"
    guard let rule = rules.first(where: { $0.allows(origin, method) }) else { return response }
    let asked = request.headers[.accessControlRequestHeaders]
    for field in rule.preflightFields(for: origin, asked: asked) {
      response.headers[field.name] = field.value
    }
    return response
  }

  /// Adds to a response what lets the request's page read it.
  func describeOrigins(
    of request: ServiceRequest,
    _ response: inout ServiceResponse
  ) async throws {
    guard let origin = request.headers[.origin], let rules = try await originRules(request) else {
      return
    }
    response.headers.append(HTTPField(name: .vary, value: "Origin"))
    let rule = rules.first { $0.allows(origin, request.method.rawValue) }
    for field in rule?.fields(for: origin) ?? [:] { response.headers[field.name] = field.value }
  }

  /// Returns the configured rules of the bucket that the path names; nil where there are none.
  private func originRules(_ request: ServiceRequest) async throws -> [CORSRule]? {
    guard let name = BucketName(valid: request.parameters["bucket"] ?? ""),
      let document = try await storage.document(Text(CORSRule.member), ofBucket: name)
    else { return nil }
    return try CORSRule.rules(try JSONParser.parse(Array(document.string.utf8)))
  }
}

extension BucketName {
  /// A name; nil for any other text.
  fileprivate init?(valid text: String) {
    do throws(StorageError) {
      try self.init(text)
    } catch {
      return nil
    }
  }
}
