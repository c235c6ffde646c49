import BaseJSON
import BaseStatus
import BaseText
import ServiceModule

/// The JSON object that a page of the console sends.
struct ConsoleBody: Sendable {
  private let json: JSONValue

  private static let limit = 64 << 10

  /// Reads a request's body, which must say that it is JSON: no page of another origin can send that unasked.
  init(_ request: ServiceRequest) async throws {
    guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
      throw ServiceError.invalidArgument("The body must be JSON, with that content type.")
    }
    json = try JSONParser.parse(try await request.collectText(upTo: Self.limit))
  }

  /// The text of a member; nil without one.
  func text(_ name: String) -> String? {
    if case .string(let text)? = json[[name]] { text } else { nil }
  }

  /// The texts of an object by their names; none without one.
  func texts(_ name: String) throws(ServiceError) -> [(String, String)] {
    guard case .object(let members)? = json[[name]] else { return [] }
    var texts: [(String, String)] = []
    for member in members {
      guard case .string(let text) = member.value else {
        throw .invalidArgument("\(name) must be an object of strings.")
      }
      texts.append((member.key, text))
    }
    return texts
  }

  /// The text of a member that must be there.
  func required(_ name: String) throws(ServiceError) -> String {
    guard let text = text(name) else { throw .invalidArgument("\(name) is missing.") }
    return text
  }

  /// The bytes of a member that must be there, in the URL-safe form of Base64.
  func bytes(_ name: String) throws(ServiceError) -> [UInt8] {
    guard let bytes = Base64.decode(try required(name)) else {
      throw .invalidArgument("\(name) is no Base64.")
    }
    return bytes
  }
}
