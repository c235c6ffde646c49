import BaseJSON
import HTTPTypes
import ObjectStorage

/// An entry of a bucket's configuration of origins: pages of which may read what by which methods.
///
/// The first entry that has a request's origin and method counts, as with Google.
struct CORSRule: Sendable, Equatable {
  /// The member of a bucket's JSON.
  static let member = "cors"

  /// As browsers send them; `*` is every origin.
  let origins: [String]
  /// `*` is every method.
  let methods: [String]
  /// Headers of answers that pages may read, and of requests that they may send; a `*` at the end is any end.
  let headers: [String]
  /// Seconds for which browsers may keep a preflight's answer.
  let maxAge: Int64

  /// The entries of a bucket's JSON; throws for any other value.
  static func rules(_ value: JSONValue) throws -> [CORSRule] {
    guard value != .null else { return [] }
    guard case .array(let elements) = value else { throw JSONReading.invalid(member) }
    return try elements.map(Self.init(json:))
  }

  private init(json: JSONValue) throws {
    var reading = try JSONReading(json)
    origins = try reading.texts("origin")?.map(\.string) ?? []
    methods = try reading.texts("method")?.map { $0.string.uppercased() } ?? []
    headers = try reading.texts("responseHeader")?.map(\.string) ?? []
    maxAge = try reading.integer("maxAgeSeconds") ?? 3_600
    try reading.end()
    guard maxAge >= 0, (origins + methods + headers).allSatisfy({ HTTPField.isValidValue($0) }),
      methods.allSatisfy({ HTTPRequest.Method($0) != nil || $0 == "*" })
    else { throw JSONReading.invalid(Self.member) }
  }

  private var isForAll: Bool { origins.contains("*") }

  func allows(_ origin: String, _ method: String) -> Bool {
    (isForAll || origins.contains(origin)) && (methods.contains("*") || methods.contains(method))
  }

  /// The headers that let a page of that origin read a response.
  func fields(for origin: String) -> HTTPFields {
    var fields: HTTPFields = [.accessControlAllowOrigin: isForAll ? "*" : origin]
    if !headers.isEmpty {
      fields[.accessControlExposeHeaders] = headers.joined(separator: ", ")
    }
    return fields
  }

  /// The headers that let a browser send the request that a preflight announces.
  ///
  /// - Parameter asked: The allowed headers among those that it names.
  func preflightFields(for origin: String, asked: String?) -> HTTPFields {
    let names = (asked ?? "").split(separator: ",").map { $0.filter { $0 != " " } }
    let allowed = names.filter(allows(header:))
    return [
      .accessControlAllowOrigin: isForAll ? "*" : origin,
      .accessControlAllowMethods: methods.joined(separator: ", "),
      .accessControlAllowHeaders: (asked == nil ? headers : allowed).joined(separator: ", "),
      .accessControlMaxAge: String(maxAge),
    ]
  }

  private func allows(header name: String) -> Bool {
    let name = name.lowercased()
    return headers.contains { rule in
      let rule = rule.lowercased()
      return rule.hasSuffix("*") ? name.hasPrefix(rule.dropLast()) : name == rule
    }
  }
}
