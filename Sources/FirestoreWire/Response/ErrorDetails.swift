import DocumentCodec
import FirestoreModel

/// The `details` of a status: what programs read of an error.
struct ErrorDetails: Sendable {
  private static let typePrefix = "type.googleapis.com/google.rpc."

  private let reason: FirestoreError.Reason?

  /// No details.
  init() { reason = nil }

  /// The details that an error carries.
  init(of error: FirestoreError) { reason = error.reason }

  var isEmpty: Bool { reason == nil }

  /// Encoded `google.protobuf.Any` messages: an ErrorInfo and, with a link, a Help.
  var messages: [[UInt8]] {
    guard let reason else { return [] }
    var messages = [
      Self.any("ErrorInfo") { info in
        info.string(1, reason.reason)
        info.string(2, reason.domain)
      }
    ]
    if let url = reason.helpURL {
      messages.append(Self.any("Help") { help in help.message(1) { $0.string(2, url) } })
    }
    return messages
  }

  private static func any(_ type: String, _ body: (inout ProtobufWriter) -> Void) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.string(1, typePrefix + type)
    writer.message(2, body)
    return writer.bytes
  }
}

/// Encodes `google.rpc.Status`.
enum StatusMessage {
  /// A whole status.
  static func encoded(code: StatusCode, message: String, details: ErrorDetails) -> [UInt8] {
    var writer = ProtobufWriter()
    if code != .ok { writer.int64(1, Int64(code.rawValue)) }
    if !message.isEmpty { writer.string(2, message) }
    for detail in details.messages { writer.content(3, detail) }
    return writer.bytes
  }

  /// An error's status.
  static func encoded(_ error: FirestoreError) -> [UInt8] {
    encoded(code: error.code, message: error.message, details: ErrorDetails(of: error))
  }
}
