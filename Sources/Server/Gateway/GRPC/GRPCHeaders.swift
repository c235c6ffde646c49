import BaseStatus
import FirestoreWire
import NIOHPACK

/// The header blocks of a gRPC response.
enum GRPCHeaders {
  /// Before the first message.
  static let head: HPACKHeaders = [
    ":status": "200", "content-type": "application/grpc",
  ]

  /// After the last message of a call that went well.
  static let success: HPACKHeaders = ["grpc-status": "0"]

  /// The whole response of a call that went well without a message.
  static let successOnly: HPACKHeaders = [
    ":status": "200", "content-type": "application/grpc", "grpc-status": "0",
  ]

  /// After the messages of a call that failed in progress.
  static func trailers(_ error: ServiceError, requestID: String) -> HPACKHeaders {
    var headers = HPACKHeaders()
    add(error, requestID: requestID, to: &headers)
    return headers
  }

  /// The whole response of a call that failed before its first message.
  static func trailersOnly(_ error: ServiceError, requestID: String) -> HPACKHeaders {
    var headers = head
    if error.code == .unimplemented {
      headers.add(name: "grpc-accept-encoding", value: "identity")
    }
    add(error, requestID: requestID, to: &headers)
    return headers
  }

  private static func add(
    _ error: ServiceError,
    requestID: String,
    to headers: inout HPACKHeaders
  ) {
    for (name, value) in GRPCStatus(error: error).trailers {
      headers.add(name: name, value: value, indexing: .nonIndexable)
    }
    headers.add(name: "x-request-id", value: requestID, indexing: .nonIndexable)
  }
}
