import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A request of the account APIs and the shape of its response.
struct AuthRequest<Answer: Decodable & Sendable>: Sendable {
  /// The APIs by their host names.
  enum API: String, Sendable {
    case identity = "identitytoolkit.googleapis.com"
    case token = "securetoken.googleapis.com"
  }

  /// The HTTP method, which decides if fields go in the body or in the address.
  enum Method: String, Sendable {
    case get = "GET"
    case post = "POST"
  }

  /// The path after the host's name.
  let path: String
  var api = API.identity
  let method: Method
  /// The fields.
  let body: [String: AuthField]

  init(
    _ path: String,
    _ api: API = .identity,
    method: Method = .post,
    _ body: [String: AuthField?]
  ) {
    self.path = path
    self.api = api
    self.method = method
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

  /// A field as part of an address; nil for one that has no such form.
  var queryValue: String? {
    switch self {
    case .text(let text): text
    case .flag(let flag): "\(flag)"
    case .texts, .fields: nil
    }
  }

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
