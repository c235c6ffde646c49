import Foundation
import Hummingbird

/// A refusal that a service documents: the status, the sentence for people and old fields.
///
/// On the wire it is always
///
///     {"error": {"code": 400, "message": "text"}, "status": 400, "message": "text", …}
///
/// where `…` are the fields that older clients of the service look for.
package struct ServiceError: Error, Sendable {
  package let status: HTTPResponse.Status
  package let message: String
  /// Fields that the service's first version sent and that its clients may still read.
  package let oldFields: [String: JSONValue]
  package let headers: HTTPFields

  package init(
    _ status: HTTPResponse.Status,
    _ message: String,
    oldFields: [String: JSONValue] = [:],
    headers: HTTPFields = [:]
  ) {
    self.status = status
    self.message = message
    self.oldFields = oldFields
    self.headers = headers
  }

  /// The refusal of a text that SQLite would cut at its U+0000.
  package static let textWithNUL = ServiceError(.badRequest, "Um texto tem um caractere nulo")

  package func response() throws -> Response {
    var body = oldFields
    body["status"] = .int(status.code)
    body["message"] = .string(message)
    body["error"] = .object(["code": .int(status.code), "message": .string(message)])
    var response = try Response.json(JSONValue.object(body), status: status)
    for field in headers { response.headers[field.name] = field.value }
    return response
  }
}
