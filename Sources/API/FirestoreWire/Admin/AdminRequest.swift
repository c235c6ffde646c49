import BaseStatus
import BaseText

/// A request of the administration API as one of its two protocols has it.
package enum AdminRequest: Sendable {
  /// Over HTTP: the method in capitals, the path as received, without decoding or query, the query
  /// without its question mark, or nil, and the body, or empty.
  case rest(method: String, path: String, query: String?, body: [UInt8])
  /// Over gRPC, with the request's message.
  case grpc(AdminMethod, message: [UInt8])

  /// The project in the request's path; nil if the path is not of this API.
  package func project() throws(ServiceError) -> Text? {
    switch self {
    case .rest(_, let path, _, _): try AdminCall.project(ofPath: path)
    case .grpc(let method, let message): try AdminCall.project(of: method, message)
    }
  }

  /// The call that the request means; nil where its path is none of this API's.
  package func call() throws(ServiceError) -> AdminCall? {
    switch self {
    case .rest(let method, let path, let query, let body):
      try AdminCall(method: method, path: path, query: query, body: body)
    case .grpc(let method, let message): try AdminCall(method, message)
    }
  }

  /// A response in the request's protocol: JSON, or the message's bytes.
  package func encode(_ answer: AdminResponse) throws(ServiceError) -> [UInt8] {
    switch self {
    case .rest: try answer.json()
    case .grpc: try answer.bytes()
    }
  }
}
