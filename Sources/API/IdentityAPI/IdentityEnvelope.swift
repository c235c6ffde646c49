import Access
import BaseJSON
import BaseText
import FirestoreWire
import HTTPTypes
import Logging

/// A request before its operation has read it.
struct IdentityEnvelope: Sendable {
  let method: HTTPRequest.Method
  let query: QueryParameters
  let context: CallContext
  let address: String
  /// The host and port that the client asked for.
  let authority: String?
  /// The header `x-goog-api-key`.
  let apiKey: String?
  /// The language that the client asks for.
  let locale: String?
  /// The log for failures beside the response.
  let logger: Logger
  var isAdministrator = false
  /// True if responses include the hashes of passwords: an export by a back end, which no page of
  /// the console needs.
  var mayReadHashes = false
  var body = JSONValue.object([JSONValue.Member]())

  func parameter(_ name: String) -> String? {
    query.parameters.first { $0.name == name }?.value
  }

  /// True where development believes claims of the caller without a proof; false for pages that it does not trust.
  var believesClaims: Bool { !context.isForeignPage }

  func isPlainPage(_ route: IdentityRoute) -> Bool {
    if case .page = route { true } else { false }
  }
}

/// The fields of a posted form or of a URL's fragment or query.
struct FormFields: Sendable {
  let fields: [(name: String, value: String)]

  /// Reads `a=b&c=d`.
  init(_ text: some StringProtocol) throws {
    fields = try text.split(separator: "&").map { part in
      let halves = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = PercentEncoding.decode(Substring(halves[0]), plusIsSpace: true),
        let value = PercentEncoding.decode(
          halves.count > 1 ? Substring(halves[1]) : "",
          plusIsSpace: true
        )
      else { throw IdentityFailure.invalid("A malformed escape in a form.") }
      return (name, value)
    }
  }

  subscript(name: String) -> String? {
    fields.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
  }
}

extension HTTPField.Name {
  /// The field `x-goog-api-key`.
  static let googleAPIKey = named("x-goog-api-key")
  /// The field `x-firebase-locale`.
  static let firebaseLocale = named("x-firebase-locale")

  /// The name; for literals, which are names.
  private static func named(_ name: String) -> HTTPField.Name {
    guard let field = HTTPField.Name(name) else { preconditionFailure("\(name) is no field name") }
    return field
  }
}
