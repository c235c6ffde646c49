import BaseText

/// The service that rules are about.
package enum RulesService: String, Sendable {
  case firestore = "cloud.firestore"
  case storage = "firebase.storage"
}

/// The method of a request.
package enum RulesMethod: String, Sendable, CaseIterable {
  case get, list, create, update, delete

  /// The method's bit in a mask.
  var bit: UInt8 {
    switch self {
    case .get: 1
    case .list: 2
    case .create: 4
    case .update: 8
    case .delete: 16
    }
  }
}

/// A ruleset that compiled: immutable, shared by all requests.
package final class CompiledRuleset: Sendable {
  /// The source, for positions.
  package let source: SourceText
  /// The language version that the source names.
  package let version: RulesFile.Version
  /// The compiler's warnings.
  package let warnings: [RulesIssue]
  /// Counts every evaluation of these rules, where the compiler was asked for that.
  package let coverage: RulesCoverage?
  let functions: [CompiledFunction]
  private let firestore: [CompiledMatch]?
  private let storage: [CompiledMatch]?
  private let mayAllowSignedIn: Bool
  private let mayAllowOthers: Bool
  /// The bits of the methods for which some statement of Firestore's rules may read documents.
  private let readingMethods: UInt8

  init(
    source: SourceText,
    version: RulesFile.Version,
    warnings: [RulesIssue],
    matches: [RulesService: [CompiledMatch]],
    functions: [CompiledFunction],
    coverage: RulesCoverage?
  ) {
    self.source = source
    self.version = version
    self.warnings = warnings
    self.functions = functions
    self.coverage = coverage
    var use = AccessUse(functions)
    let noted = matches.mapValues { $0.map { $0.noting(&use) } }
    firestore = noted[.firestore]
    storage = noted[.storage]
    readingMethods = noted[.firestore]?.reduce(0) { $0 | $1.readingMethods } ?? 0
    let allows = noted[.firestore]?.flatMap(\.allows) ?? []
    mayAllowSignedIn = Self.mayAllow(allows, functions, isSignedIn: true)
    mayAllowOthers = Self.mayAllow(allows, functions, isSignedIn: false)
  }

  private static func mayAllow(
    _ allows: [CompiledAllow],
    _ functions: [CompiledFunction],
    isSignedIn: Bool
  ) -> Bool {
    var reach = RulesReach(functions, isSignedIn: isSignedIn)
    return allows.contains { $0.methods != 0 && reach.mayHold($0.condition) }
  }

  /// Returns true if the rules of Firestore could allow anything to signed-in callers, or to
  /// others; false is certain.
  package func mayAllowAnything(isSignedIn: Bool) -> Bool {
    isSignedIn ? mayAllowSignedIn : mayAllowOthers
  }

  /// The services that the source has rules for.
  package var services: Set<RulesService> {
    Set([firestore.map { _ in .firestore }, storage.map { _ in .storage }].compactMap { $0 })
  }

  /// Returns true if a decision on that document of Firestore's may have to read others.
  ///
  /// - Parameter path: The whole path, as in `RulesRequest`.
  package func mayReadDocuments(_ method: RulesMethod, _ path: @autoclosure () -> [Text]) -> Bool {
    guard readingMethods & method.bit != 0 else { return false }
    let path = path()
    return matches(of: .firestore).contains {
      $0.readingMethods & method.bit != 0 && $0.pattern.matches(path)
    }
  }

  func matches(of service: RulesService) -> [CompiledMatch] {
    (service == .firestore ? firestore : storage) ?? []
  }
}

/// A ruleset that does not compile.
package struct RulesCompileError: Error, Sendable {
  /// Errors and warnings in the order of their positions.
  package let issues: [RulesIssue]
  /// The text that the issues' ranges refer to.
  package let source: SourceText

  /// `Error compiling rules:` and a line for every issue.
  package var message: String {
    let lines = issues.map { issue in
      let position = source.position(of: issue.range.lowerBound)
      return "L\(position.line):\(position.column) \(issue.message)"
    }
    return "Error compiling rules:\n" + lines.joined(separator: "\n")
  }
}

/// A match block with the segments of all blocks around it.
struct CompiledMatch: Sendable {
  let pattern: PathPattern
  let allows: [CompiledAllow]
  /// The bits of all methods that some statement allows.
  let methods: UInt8
  /// The bits of those for which a statement may read documents.
  private(set) var readingMethods: UInt8 = 0

  init(pattern: PathPattern, allows: [CompiledAllow]) {
    self.pattern = pattern
    self.allows = allows
    methods = allows.reduce(0) { $0 | $1.methods }
  }

  /// The same, knowing which statements read.
  fileprivate func noting(_ use: inout AccessUse) -> CompiledMatch {
    var noted = self
    for allow in allows where allow.condition.map({ use.reads($0) }) ?? false {
      noted.readingMethods |= allow.methods
    }
    return noted
  }
}

/// One allow statement.
struct CompiledAllow: Sendable {
  /// The bits of its methods.
  let methods: UInt8
  /// Nil is "always".
  let condition: Node?
  let range: Range<Int>
}

/// A function of the ruleset.
struct CompiledFunction: Sendable {
  let parameters: Int
  /// They take the slots behind the parameters.
  let bindings: [Node]
  let result: Node
}
