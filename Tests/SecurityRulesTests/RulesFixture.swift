import BaseText
import FirestoreModel

@testable import SecurityRules

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByNilLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(Text(value)) }
  package init(integerLiteral value: Int64) { self = .integer(value) }
  package init(floatLiteral value: Double) { self = .double(value) }
  package init(booleanLiteral value: Bool) { self = .boolean(value) }
  package init(nilLiteral: ()) { self = .null }
  package init(arrayLiteral elements: Value...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (Text, Value)...) { self = .map(fields(elements)) }
}

/// A map of those entries.
func fields(_ entries: [(Text, Value)]) -> MapValue {
  MapValue(entries.map { MapValue.Entry(key: $0.0, value: $0.1) })
}

/// The fields of a map value.
func fields(_ value: Value) -> MapValue {
  if case .map(let map) = value { map } else { MapValue() }
}

/// Recognisable bytes instead of digests: what the library computes is not the language's affair.
struct FakeDigests: RulesDigests {
  func md5(_ bytes: [UInt8]) -> [UInt8] {
    Array(repeating: UInt8(truncatingIfNeeded: bytes.count), count: 16)
  }
  func sha256(_ bytes: [UInt8]) -> [UInt8] {
    Array(repeating: UInt8(truncatingIfNeeded: bytes.count), count: 32)
  }
}

let testDatabase = DatabaseID(project: "p")
let noon2026 = Timestamp(microseconds: 1_775_044_800_000_000)

/// A few documents in memory, and what a commit makes of them.
struct Documents: RulesDataSource {
  struct Failure: Error {}

  var before: [String: MapValue] = [:]
  var changes: [String: MapValue?] = [:]
  var isBroken = false

  init(_ before: [String: Value] = [:]) { self.before = before.mapValues(fields) }

  func document(at path: ResourcePath) throws -> RulesDocument? {
    if isBroken { throw Failure() }
    return before[path.string].map { Self.document(path, $0) }
  }

  func documentAfter(at path: ResourcePath) throws -> RulesDocument? {
    guard let change = changes[path.string] else { return try document(at: path) }
    return change.map { Self.document(path, $0) }
  }

  static func document(_ path: ResourcePath, _ fields: MapValue) -> RulesDocument {
    RulesDocument(
      path: ["databases", "(default)", "documents"] + path.segments,
      data: RulesMap(fields)
    )
  }
}

func path(_ text: String) -> ResourcePath {
  ResourcePath(text.split(separator: "/").map { Text(String($0)) })
}

func auth(_ uid: Text?, _ claims: Value = [:]) -> RulesAuth? {
  uid.map { uid in
    var token = fields(claims)
    token["sub"] = .string(uid)
    return RulesAuth(uid: uid, token: RulesMap(token))
  }
}

func firestoreRules(_ body: String, version: String = "2") -> String {
  """
  rules_version = '\(version)';
  service cloud.firestore {
    match /databases/{database}/documents {
      \(body)
    }
  }
  """
}

func compile(_ source: String) throws(RulesCompileError) -> CompiledRuleset {
  try RulesCompiler.compile(SourceText(source))
}

/// A commit or a reading of one document against documents in memory.
struct Operation {
  var method: RulesMethod
  var path: String
  var user: Text?
  var claims: Value = [:]
  var change: Value?
  var time = noon2026
}

extension RulesSession {
  convenience init(
    _ ruleset: CompiledRuleset,
    _ documents: Documents,
    isMultiple: Bool = false,
    compatibility: Compatibility = .safe
  ) {
    self.init(
      ruleset: ruleset,
      database: "(default)",
      dataSource: documents,
      digests: FakeDigests(),
      isMultiple: isMultiple,
      compatibility: compatibility
    )
  }

  func evaluate(_ operation: Operation, in documents: Documents) throws -> RulesDecision {
    let document = path(operation.path)
    var request = RulesRequest(
      method: operation.method,
      path: ["databases", "(default)", "documents"] + document.segments,
      auth: auth(operation.user, operation.claims),
      time: operation.time
    )
    request.resource = documents.before[operation.path].map {
      RulesMap(Documents.document(document, $0))
    }
    request.newResource = operation.change.map {
      RulesMap(Documents.document(document, fields($0)))
    }
    return try evaluate(request)
  }
}

/// Returns the value of a condition: `true`, `false`, `error`, or `compile` for a source with
/// errors.
func result(
  of condition: String,
  resource: Value? = nil,
  user: Text? = "alice",
  documents: [String: Value] = [:],
  functions: String = ""
) throws -> String {
  let source = firestoreRules("\(functions)\nmatch /q/{id} { allow get: if \(condition); }")
  guard let ruleset = try? compile(source) else { return "compile" }
  var store = Documents(documents)
  if let resource { store.before["q/d0"] = fields(resource) }
  let operation = Operation(method: .get, path: "q/d0", user: user)
  let decision = try RulesSession(ruleset, store).evaluate(operation, in: store)
  switch decision.attempts.last?.outcome {
  case .allowed: return "true"
  case .notTrue(.boolean): return "false"
  case .notTrue(let value): return value.summary
  case .failed: return "error"
  case nil: return "none"
  }
}
