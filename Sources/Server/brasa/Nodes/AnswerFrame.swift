import BaseStatus
import Foundation

/// The outcome of a call that one node sends another: frames of a kind (1 byte), a length (4 bytes,
/// the highest first) and a content.
///
/// - 0: a message of the response;
/// - 1: the end; no content, or the error in JSON.
///
/// A response without its end was cut off.
enum AnswerFrame {
  case message([UInt8])
  case end(ServiceError?)

  /// The number of bytes before the content.
  private static let prefixLength = 5
  /// The largest content: a message of the API, with some to spare.
  private static let maximumLength = 64 << 20

  /// The error as it goes from node to node; its cause stays in the log of the one that had it.
  fileprivate struct Failure: Codable {
    struct Reason: Codable {
      let reason: String
      let domain: String
      let helpURL: String?
    }

    struct Violation: Codable {
      let field: String
      let description: String
    }

    let code: Int
    let message: String
    let reason: Reason?
    let violations: [Violation]
  }

  /// The frame's bytes.
  var bytes: [UInt8] {
    get throws {
      switch self {
      case .message(let message): Self.framed(0, message)
      case .end(nil): Self.framed(1, [])
      case .end(let error?): Self.framed(1, Array(try JSONEncoder().encode(Failure(error))))
      }
    }
  }

  /// Takes the first frame of the received bytes, which begins at `start`; nil if it is incomplete.
  static func take(from bytes: [UInt8], at start: inout Int) throws -> AnswerFrame? {
    guard bytes.count - start >= prefixLength else { return nil }
    let length = bytes[(start + 1)..<(start + prefixLength)].reduce(0) { $0 << 8 | Int($1) }
    guard length <= maximumLength else { throw Malformed() }
    let content = start + prefixLength
    guard bytes.count - content >= length else { return nil }
    let kind = bytes[start]
    let frame = bytes[content..<(content + length)]
    start = content + length
    switch kind {
    case 0: return .message(Array(frame))
    case 1 where frame.isEmpty: return .end(nil)
    case 1: return .end(try JSONDecoder().decode(Failure.self, from: Data(frame)).error)
    default: throw Malformed()
    }
  }

  /// Bytes that no node writes.
  struct Malformed: Error {}

  private static func framed(_ kind: UInt8, _ content: [UInt8]) -> [UInt8] {
    let length = withUnsafeBytes(of: UInt32(content.count).bigEndian) { Array($0) }
    return [kind] + length + content
  }
}

extension AnswerFrame.Failure {
  fileprivate init(_ error: ServiceError) {
    code = error.code.rawValue
    message = error.message
    reason = error.reason.map {
      Reason(reason: $0.reason, domain: $0.domain, helpURL: $0.helpURL)
    }
    violations = error.violations.map {
      Violation(field: $0.field, description: $0.description)
    }
  }

  fileprivate var error: ServiceError {
    ServiceError(
      StatusCode(rawValue: code) ?? .unknown,
      message,
      reason: reason.map { .init($0.reason, domain: $0.domain, helpURL: $0.helpURL) },
      violations: violations.map { .init(field: $0.field, description: $0.description) }
    )
  }
}
