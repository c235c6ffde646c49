import BaseJSON
import BaseStatus
import DocumentCodec

/// The `details` of a status: what programs read of an error.
struct ErrorDetails: Sendable {
  private static let typePrefix = "type.googleapis.com/google.rpc."

  private let reason: ServiceError.Reason?
  private let violations: [ServiceError.FieldViolation]
  private let explanation: PipelineExplanation?

  /// No details.
  init() {
    reason = nil
    violations = []
    explanation = nil
  }

  /// The details that an error carries.
  init(of error: ServiceError) {
    reason = error.reason
    violations = error.violations
    explanation = error.cause as? PipelineExplanation
  }

  var isEmpty: Bool { reason == nil && violations.isEmpty && explanation == nil }

  /// Encoded `google.protobuf.Any` messages: an ErrorInfo, with a link a Help, a BadRequest.
  var messages: [[UInt8]] {
    var messages: [[UInt8]] = []
    if let reason {
      messages.append(
        Self.any("ErrorInfo") { info in
          info.string(1, reason.reason)
          info.string(2, reason.domain)
        }
      )
    }
    if let url = reason?.helpURL {
      messages.append(Self.any("Help") { help in help.message(1) { $0.string(2, url) } })
    }
    if !violations.isEmpty {
      messages.append(Self.any("BadRequest") { writeViolations(to: &$0) })
    }
    if let explanation { messages.append(explanation.detail) }
    return messages
  }

  /// The same as JSON objects.
  var json: [JSONValue] {
    var objects: [JSONValue] = []
    if let reason {
      objects.append(
        Self.object(
          "ErrorInfo",
          ["reason": .string(reason.reason), "domain": .string(reason.domain)]
        )
      )
    }
    if let url = reason?.helpURL {
      objects.append(Self.object("Help", ["links": .array([.object(["url": .string(url)])])]))
    }
    if !violations.isEmpty {
      let list = violations.map { violation in
        JSONValue.object([
          "field": .string(violation.field), "description": .string(violation.description),
        ])
      }
      objects.append(Self.object("BadRequest", ["fieldViolations": .array(list)]))
    }
    if let explanation {
      let data = JSONValue.object([
        "@type": .string(PipelineExplanation.stringTypeURL), "value": .string(explanation.text),
      ])
      objects.append(
        .object(["@type": .string(PipelineExplanation.typeURL), "data": data])
      )
    }
    return objects
  }

  private func writeViolations(to writer: inout ProtobufWriter) {
    for violation in violations {
      writer.message(1) { message in
        message.nonEmpty(1, violation.field)
        message.string(2, violation.description)
      }
    }
  }

  private static func any(_ type: String, _ body: (inout ProtobufWriter) -> Void) -> [UInt8] {
    var writer = ProtobufWriter()
    writer.string(1, typePrefix + type)
    writer.message(2, body)
    return writer.bytes
  }

  private static func object(
    _ type: String,
    _ members: KeyValuePairs<String, JSONValue>
  ) -> JSONValue {
    .object(
      [JSONValue.Member("@type", .string(typePrefix + type))]
        + members.map { JSONValue.Member($0.key, $0.value) }
    )
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
  static func encoded(_ error: ServiceError) -> [UInt8] {
    encoded(code: error.code, message: error.message, details: ErrorDetails(of: error))
  }
}
