import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request of the account APIs and the shape of its answer.
struct AuthRequest<Answer: Decodable & Sendable>: Sendable {
  /// The APIs by their host names.
  enum API: String, Sendable {
    case identity = "identitytoolkit.googleapis.com"
    case token = "securetoken.googleapis.com"
  }

  /// The path after the host's name.
  let path: String
  var api = API.identity
  /// The members of the body.
  let body: [String: AuthField]

  init(_ path: String, _ api: API = .identity, _ body: [String: AuthField?]) {
    self.path = path
    self.api = api
    self.body = body.compactMapValues(\.self)
  }
}

/// A member of a request's body.
enum AuthField: Encodable, Sendable {
  case text(String)
  case flag(Bool)
  case texts([String])
  case fields([String: AuthField])

  /// A text if there is one.
  static func optional(_ text: String?) -> AuthField? { text.map(AuthField.text) }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .text(let text): try container.encode(text)
    case .flag(let flag): try container.encode(flag)
    case .texts(let texts): try container.encode(texts)
    case .fields(let fields): try container.encode(fields)
    }
  }
}
