import BaseStatus
import BaseText
import DocumentCodec

/// The outcome of a gRPC call, as its trailers give it.
///
/// - `grpc-status`: the code's number;
/// - `grpc-message`: the text, with `%` and the bytes outside 0x20 ... 0x7E as `%XX`, no others:
///   clients print other escapes as they are. Absent when empty. A text that quotes a huge name is
///   cut: clients refuse headers beyond some kilobytes;
/// - `grpc-status-details-bin`: unpadded base64 of a `google.rpc.Status` with the details. Absent
///   without details.
package struct GRPCStatus: Sendable {
  /// The longest encoded form of a text; the longest links stay well below.
  private static let maximumMessageSize = 4_096

  /// The canonical code, sent as its number.
  package let code: StatusCode
  /// The text before its escaping, cut where its encoded form would exceed 4,096 bytes.
  package let message: String
  private let details: ErrorDetails

  /// The call succeeded.
  package static let ok = GRPCStatus(code: .ok)

  /// A status without details.
  package init(code: StatusCode, message: String = "") {
    self.code = code
    self.message = Self.limited(message)
    details = ErrorDetails()
  }

  /// The status that a client receives for an error, without its cause.
  package init(error: ServiceError) {
    code = error.code
    message = Self.limited(error.message)
    details = ErrorDetails(of: error)
  }

  /// Names and values to send, `grpc-status` first.
  package var trailers: [(name: String, value: String)] {
    var trailers = [(name: "grpc-status", value: String(code.rawValue))]
    if !message.isEmpty {
      trailers.append((name: "grpc-message", value: Self.percentEncoded(message)))
    }
    if !details.isEmpty {
      let status = StatusMessage.encoded(code: code, message: message, details: details)
      let text = Base64.standard(status, padded: false)
      trailers.append((name: "grpc-status-details-bin", value: text))
    }
    return trailers
  }

  private static func limited(_ message: String) -> String {
    var size = 0
    for index in message.unicodeScalars.indices {
      let scalar = message.unicodeScalars[index]
      let isPlain = (0x20...0x7E).contains(scalar.value) && scalar != "%"
      size += isPlain ? 1 : 3 * UTF8.width(scalar)
      if size > maximumMessageSize { return message[..<index] + "..." }
    }
    return message
  }

  /// The text as a `grpc-message`.
  package static func percentEncoded(_ message: String) -> String {
    PercentEncoding.encode(message.utf8) {
      (0x20...0x7E).contains($0) && $0 != UInt8(ascii: "%")
    }
  }
}
