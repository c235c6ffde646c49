import BaseJSON
import BaseStatus

/// Errors as HTTP responses.
package enum RESTError {
  /// The JSON body of an error; streaming methods answer it inside an array.
  package static func body(_ error: ServiceError, streaming: Bool = false) -> [UInt8] {
    let value = json(error, status: error.code.httpStatus)
    return (streaming ? JSONValue.array([value]) : value).compactBytes
  }

  /// The JSON body of an error of HTTP's own, whose status says more than the code.
  package static func body(_ error: ServiceError, status: Int) -> [UInt8] {
    json(error, status: status).compactBytes
  }

  private static func json(_ error: ServiceError, status: Int) -> JSONValue {
    var members: [JSONValue.Member] = [
      JSONValue.Member("code", .number(String(status))),
      JSONValue.Member("message", .string(error.message)),
      JSONValue.Member("status", .string(error.code.name)),
    ]
    let details = ErrorDetails(of: error).json
    if !details.isEmpty {
      members.append(JSONValue.Member("details", .array(details)))
    }
    return .object(["error": .object(members)])
  }
}
