import FirebaseCore
import Foundation

extension StorageError {
  /// Makes the error of an unsuccessful response about an object, or about a bucket if the name is
  /// empty.
  init(_ answer: HTTPAnswer, bucket: String, object: String) {
    let server: [String: any Sendable] = [
      "ResponseErrorDomain": "com.google.HTTPStatus", "ResponseErrorCode": answer.status,
      "ResponseBody": String(decoding: answer.body.prefix(2_000), as: UTF8.self),
      "bucket": bucket, "object": object,
    ]
    switch answer.status {
    case 401: self = .unauthenticated(serverError: server)
    case 402: self = .quotaExceeded(bucket: bucket, serverError: server)
    case 403: self = .unauthorized(bucket: bucket, object: object, serverError: server)
    case 404: self = .objectNotFound(object: object, serverError: server)
    default:
      self = .unknown(message: "The server answered \(answer.status).", serverError: server)
    }
  }

  /// Makes the error of an operation from the error that stopped it.
  init(_ error: any Error) {
    switch error {
    case let known as StorageError: self = known
    case is CancellationError: self = .cancelled
    default:
      let cause = error as NSError
      self = .unknown(
        message: error.localizedDescription,
        serverError: ["ResponseErrorDomain": cause.domain, "ResponseErrorCode": cause.code]
      )
    }
  }
}
