import BaseJSON

// Conditions of back ends as the trees that Google's Admin SDKs evaluate.

extension CompiledCondition {
  /// Throws where a term is none that back ends know.
  func checkForServers() throws(ConditionError) {
    for term in terms where term.serverTree == nil {
      throw ConditionError(
        column: 1,
        "Server templates can use only percent, app.customSignal, true and false in conditions."
      )
    }
  }

  /// The condition as an OR of one AND, which is the shape that Google's service gives out.
  var serverTree: JSONValue {
    let all = JSONValue.object([.init("conditions", .array(terms.compactMap(\.serverTree)))])
    let and = JSONValue.object([.init("andCondition", all)])
    return .object([
      .init("orCondition", .object([.init("conditions", .array([and]))]))
    ])
  }
}

extension ConditionTerm {
  /// The term as a leaf of such a tree; nil for one that clients alone have.
  fileprivate var serverTree: JSONValue? {
    switch self {
    case .constant(let value): return .object([.init(value ? "true" : "false", .object([]))])
    case .percent(let range): return .object([.init("percent", range.serverTree)])
    case .text(.customSignal(let key), let test):
      let (name, targets) = test.serverTest
      return Self.signal(key, name, targets)
    case .number(.customSignal(let key), let comparison, let number):
      return Self.signal(key, "NUMERIC_\(comparison.serverName)", ["\(number)"])
    case .version(.customSignal(let key), let comparison, let versions):
      // If there are several, Google's evaluators look only at the first.
      guard versions.count == 1 else { return nil }
      let name = "SEMANTIC_VERSION_\(comparison.serverName)"
      return Self.signal(key, name, versions.map(\.description))
    default: return nil
    }
  }

  private static func signal(_ key: String, _ name: String, _ targets: [String]) -> JSONValue {
    .object([
      .init(
        "customSignal",
        .object([
          .init("customSignalOperator", .string(name)), .init("customSignalKey", .string(key)),
          .init("targetCustomSignalValues", .array(targets.map(JSONValue.string))),
        ])
      )
    ])
  }
}

extension TextTest {
  fileprivate var serverTest: (name: String, targets: [String]) {
    switch self {
    case .contains(let targets): ("STRING_CONTAINS", targets)
    case .containsNone(let targets): ("STRING_DOES_NOT_CONTAIN", targets)
    case .equals(let targets): ("STRING_EXACTLY_MATCHES", targets.sorted())
    case .matches(_, let sources): ("STRING_CONTAINS_REGEX", sources)
    }
  }
}

extension Comparison {
  fileprivate var serverName: String {
    switch self {
    case .less: "LESS_THAN"
    case .lessOrEqual: "LESS_EQUAL"
    case .equal: "EQUAL"
    case .notEqual: "NOT_EQUAL"
    case .greaterOrEqual: "GREATER_EQUAL"
    case .greater: "GREATER_THAN"
    }
  }
}

extension PercentRange {
  fileprivate var serverTree: JSONValue {
    var members: [(name: String, value: JSONValue?)] = []
    switch kind {
    case .atMost(let bound):
      members = [("percentOperator", .string("LESS_OR_EQUAL")), ("microPercent", .integer(bound))]
    case .above(let bound):
      members = [("percentOperator", .string("GREATER_THAN")), ("microPercent", .integer(bound))]
    case .between(let lower, let upper):
      let range = JSONValue.object([
        .init("microPercentLowerBound", .integer(lower)),
        .init("microPercentUpperBound", .integer(upper)),
      ])
      members = [("percentOperator", .string("BETWEEN")), ("microPercentRange", range)]
    }
    members.append(("seed", seed.isEmpty ? nil : .string(seed)))
    return .members(members)
  }
}

extension VersionNumber {
  /// The version without zeros at its end.
  fileprivate var description: String {
    parts.isEmpty ? "0" : parts.map(String.init).joined(separator: ".")
  }
}
