import BaseJSON
import BaseStatus
import BaseText
import FirestoreModel
import FirestoreWire
import SecurityRules

/// Cases that try requests on rules: the JSON of the `TestSuite` of `firebaserules.googleapis.com`.
///
///     {"testCases": [{
///       "expectation": "ALLOW",
///       "request": {"auth": {"uid": "ana", "token": {}}, "method": "get",
///                   "path": "/databases/(default)/documents/products/p1", "time": "2026-01-01T00:00:00Z"},
///       "resource": {"data": {"userId": "ana"}},
///       "functionMocks": [{"function": "get", "args": [{"exactValue": "/databases/…"}],
///                          "result": {"value": {"data": {"role": "admin"}}}}],
///       "pathEncoding": "PLAIN", "expressionReportLevel": "FULL"
///     }]}
///
/// `resource` and `request.resource` may also be documents of the REST API (`{"fields": …}`), which
/// have all types. `data`, which Google's API does not know, holds the documents that `get()` and its
/// kin read where no mock fits: `{"users/ana": {"role": "admin"}}`. A case without it has none, and
/// calls that no mock fits are errors, as in Google's API.
package struct RulesTestSuite: Sendable {
  /// The cases in the order of the request.
  package let cases: [RulesTestCase]

  /// The cases of a `TestSuite`.
  package init(_ json: JSONValue, now: Timestamp) throws(ServiceError) {
    let suite = try JSONMembers(json, of: "testSuite", known: ["testCases"])
    var cases: [RulesTestCase] = []
    for (index, element) in try suite.array("testCases").enumerated() {
      cases.append(try RulesTestCase(element, at: "testCases[\(index)]", now: now))
    }
    self.cases = cases
  }
}

/// One request with its expected decision.
package struct RulesTestCase: Sendable {
  /// The expressions that the response reports on.
  package enum Reporting: String, Sendable {
    case none = "NONE"
    case full = "FULL"
    case visited = "VISITED"
  }

  /// True for the expectation `ALLOW`, false for `DENY`.
  package let expectsAllow: Bool
  /// The request to evaluate, with the stored document and the service.
  package var test: RulesTest
  /// The share of expressions that the response reports.
  package let reporting: Reporting
  let mocks: [RulesMocks.Mock]
  /// By path; nil where the case has no documents.
  package let documents: [ResourcePath: RulesMap]?

  /// Reads a case; `path` names it in errors.
  package init(_ json: JSONValue, at path: String, now: Timestamp) throws(ServiceError) {
    let members = try JSONMembers(
      json,
      of: path,
      known: [
        "expectation", "request", "resource", "functionMocks", "pathEncoding",
        "expressionReportLevel", "data",
      ]
    )
    switch try members.text("expectation") {
    case "ALLOW": expectsAllow = true
    case "DENY": expectsAllow = false
    default: throw members.invalid("expectation", "must be ALLOW or DENY")
    }
    let level = try members.text("expressionReportLevel") ?? "NONE"
    guard let reporting = Reporting(rawValue: level == "LEVEL_UNSPECIFIED" ? "NONE" : level) else {
      throw members.invalid("expressionReportLevel", "must be NONE, FULL or VISITED")
    }
    self.reporting = reporting
    let encoding = try members.text("pathEncoding") ?? "ENCODING_UNSPECIFIED"
    guard ["ENCODING_UNSPECIFIED", "URL_ENCODED", "PLAIN"].contains(encoding) else {
      throw members.invalid("pathEncoding", "must be URL_ENCODED or PLAIN")
    }
    test = try RulesTest(members, isEncoded: encoding != "PLAIN", now: now)
    var mocks: [RulesMocks.Mock] = []
    for (index, mock) in try members.array("functionMocks").enumerated() {
      mocks.append(try RulesMocks.Mock(mock, at: "\(path).functionMocks[\(index)]"))
    }
    self.mocks = mocks
    documents = try Self.documents(members)
  }

  private static func documents(
    _ members: JSONMembers
  ) throws(ServiceError) -> [ResourcePath: RulesMap]? {
    guard let json = members["data"] else { return nil }
    guard case .object(let entries) = json else {
      throw members.invalid("data", "must be an object")
    }
    var documents: [ResourcePath: RulesMap] = [:]
    for entry in entries {
      let path = ResourcePath(entry.key.split(separator: "/").map { Text(String($0)) })
      guard path.isDocument else {
        throw members.invalid("data", "has \"\(entry.key)\", which is not a document path")
      }
      documents[path] = try RulesMap(documentFields: entry.value)
    }
    return documents
  }
}

extension RulesTest {
  /// The request and resource of a case.
  fileprivate init(
    _ members: JSONMembers,
    isEncoded: Bool,
    now: Timestamp
  ) throws(ServiceError) {
    guard case .object(let entries)? = members["request"] else {
      throw members.invalid("request", "must be an object")
    }
    let request = JSONMembers(entries, of: members.path + ".request")
    guard let method = RulesMethod(rawValue: try request.text("method") ?? "") else {
      throw request.invalid("method", "must be get, list, create, update or delete")
    }
    guard let path = try request.text("path"),
      let segments = Self.segments(path, isEncoded: isEncoded),
      let service = Self.service(of: segments)
    else {
      throw request.invalid(
        "path",
        "must be /databases/{database}/documents/… or /b/{bucket}/o/…"
      )
    }
    var values = try RulesValue.entries(
      entries.filter { !["method", "path", "time", "resource"].contains($0.key) }
    )
    if values["auth"] == nil { values["auth"] = .null }
    values["time"] = .timestamp(RulesTimestamp(try Self.time(request) ?? now))
    if request["resource"] != nil || ![.get, .list].contains(method) || service == .storage {
      values["resource"] = try Self.resource(request, "resource", segments)
    }
    self.init(
      service: service,
      method: method,
      path: segments,
      request: values,
      resource: try Self.resource(members, "resource", segments)
    )
  }

  private static func segments(_ path: String, isEncoded: Bool) -> [Text]? {
    guard path.hasPrefix("/") else { return nil }
    var segments: [Text] = []
    for part in path.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      guard !part.isEmpty, let text = isEncoded ? PercentEncoding.decode(part) : String(part) else {
        return nil
      }
      segments.append(Text(text))
    }
    return segments
  }

  private static func service(of segments: [Text]) -> RulesService? {
    if segments.count >= 4, segments[0] == "databases", segments[2] == "documents" {
      return .firestore
    }
    return segments.count >= 3 && segments[0] == "b" && segments[2] == "o" ? .storage : nil
  }

  private static func time(_ request: JSONMembers) throws(ServiceError) -> Timestamp? {
    guard let text = try request.text("time") else { return nil }
    guard let time = TimestampText.parse(text) else {
      throw request.invalid("time", "must be a timestamp such as 2026-01-31T12:00:00Z")
    }
    return time
  }

  /// A resource with the id and name that a document of that path has.
  private static func resource(
    _ members: JSONMembers,
    _ name: String,
    _ path: [Text]
  ) throws(ServiceError) -> RulesValue {
    guard let json = members[name] else { return .null }
    if json == .null { return .null }
    guard case .object(let entries) = json else {
      throw members.invalid(name, "must be an object")
    }
    guard path.first == "databases" else { return .map(RulesMap(try RulesValue.entries(entries))) }
    if entries.contains(where: { $0.key == "fields" }), members[name, "data"] == nil {
      return .map(RulesMap(RulesDocument(path: path, data: try RulesMap(document: json))))
    }
    var values = try RulesValue.entries(entries)
    if values["id"] == nil { values["id"] = path.last.map(RulesValue.string) }
    if values["__name__"] == nil { values["__name__"] = .path(RulesPath(plain: path)) }
    return .map(RulesMap(values))
  }
}

extension RulesMap {
  /// The fields of a document in plain JSON, or of one of the REST API.
  package init(documentFields json: JSONValue) throws(ServiceError) {
    guard case .object(let members) = json else {
      throw .invalidArgument("A document must be a JSON object.")
    }
    if members.count == 1, members[0].key == "fields" {
      self = try RulesMap(document: json)
    } else {
      self.init(try RulesValue.entries(members))
    }
  }

  /// The fields of a document of the REST API.
  init(document json: JSONValue) throws(ServiceError) {
    let fields = String(decoding: (json[["fields"]] ?? .object([:])).compactBytes, as: UTF8.self)
    let name = "projects/p/databases/(default)/documents/c/d"
    let call = try RESTTranscoder().call(
      method: "POST",
      path: "/v1/projects/p/databases/(default)/documents:commit",
      query: nil,
      body: Array("{\"writes\":[{\"update\":{\"name\":\"\(name)\",\"fields\":\(fields)}}]}".utf8)
    )
    guard let call, let write = try CommitRequest(decoding: call.request).writes.first,
      case .update(let content, _) = write.operation
    else { throw .invalidArgument("A document has no fields.") }
    self.init(content)
  }
}

extension RulesMocks.Mock {
  fileprivate init(_ json: JSONValue, at path: String) throws(ServiceError) {
    let members = try JSONMembers(json, of: path, known: ["function", "args", "result"])
    guard let function = try members.text("function") else {
      throw members.invalid("function", "must name a function")
    }
    let arguments = try members.array("args")
    guard arguments.count <= 1 else { throw members.invalid("args", "can contain one argument") }
    var argument: RulesValue?
    if let first = arguments.first {
      let arg = try JSONMembers(first, of: path + ".args[0]", known: ["exactValue", "anyValue"])
      if let exact = arg["exactValue"] { argument = try RulesValue(json: exact) }
    }
    guard let result = members["result"] else { throw members.invalid("result", "is missing") }
    let given = try JSONMembers(result, of: path + ".result", known: ["value", "undefined"])
    guard given["undefined"] == nil else {
      self.init(function: function, argument: argument, answer: .undefined)
      return
    }
    guard let value = given["value"] else { throw members.invalid("result", "has no value") }
    self.init(function: function, argument: argument, answer: .value(try RulesValue(json: value)))
  }
}

/// A JSON object's members with the path that errors name.
struct JSONMembers {
  let path: String
  private let members: [JSONValue.Member]

  /// The members of an object; refuses others than the known ones.
  init(_ json: JSONValue, of path: String, known: Set<String>) throws(ServiceError) {
    guard case .object(let members) = json else {
      throw .invalidArgument("\(path) must be an object.")
    }
    for member in members where !known.contains(member.key) {
      throw .invalidArgument(
        "Invalid JSON payload received. Unknown name \"\(member.key)\" at '\(path)': "
          + "Cannot find field."
      )
    }
    self.init(members, of: path)
  }

  init(_ members: [JSONValue.Member], of path: String) {
    self.members = members
    self.path = path
  }

  subscript(path: String...) -> JSONValue? { JSONValue.object(members)[path[...]] }

  /// A text; nil where there is none.
  func text(_ name: String) throws(ServiceError) -> String? {
    switch self[name] {
    case .string(let text): text
    case nil, .null: nil
    default: throw invalid(name, "must be a string")
    }
  }

  /// A list; empty where there is none.
  func array(_ name: String) throws(ServiceError) -> [JSONValue] {
    switch self[name] {
    case .array(let elements): elements
    case nil, .null: []
    default: throw invalid(name, "must be a list")
    }
  }

  func invalid(_ name: String, _ problem: String) -> ServiceError {
    .invalidArgument("\(path).\(name) \(problem).")
  }
}
