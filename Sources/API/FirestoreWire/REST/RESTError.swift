import FirestoreModel

/// Errors as HTTP answers.
package enum RESTError {
  /// The HTTP status of a code.
  package static func httpStatus(_ code: StatusCode) -> Int {
    switch code {
    case .ok: 200
    case .invalidArgument, .failedPrecondition, .outOfRange: 400
    case .unauthenticated: 401
    case .permissionDenied: 403
    case .notFound: 404
    case .alreadyExists, .aborted: 409
    case .resourceExhausted: 429
    case .cancelled: 499
    case .unknown, .internalError, .dataLoss: 500
    case .unimplemented: 501
    case .unavailable: 503
    case .deadlineExceeded: 504
    }
  }

  /// The JSON body of an error; streaming methods answer it inside an array.
  package static func body(_ error: FirestoreError, streaming: Bool = false) -> [UInt8] {
    let value = json(error, status: httpStatus(error.code))
    return (streaming ? JSONValue.array([value]) : value).text
  }

  /// The JSON body of an error of HTTP's own, whose status says more than the code.
  package static func body(_ error: FirestoreError, status: Int) -> [UInt8] {
    json(error, status: status).text
  }

  private static func json(_ error: FirestoreError, status: Int) -> JSONValue {
    var members: [JSONValue.Member] = [
      JSONValue.Member(name: "code", value: .number(String(status))),
      JSONValue.Member(name: "message", value: .string(error.message)),
      JSONValue.Member(name: "status", value: .string(error.code.name)),
    ]
    let details = ErrorDetails(of: error).json
    if !details.isEmpty {
      members.append(JSONValue.Member(name: "details", value: .array(details)))
    }
    return .object(["error": .object(members)])
  }
}
