import BaseText

/// Checks a parsed ruleset and resolves its names.
///
/// Errors and warnings are the official compiler's (fact sheet, section 12). Unknown names and wrong
/// numbers of arguments only warn: at run time they are error values.
package struct RulesCompiler {
  var issues: [RulesIssue] = []
  var functions: [CompiledFunction?] = []
  var calls: CallGraph
  var scope: RulesScope
  /// The function whose body is being compiled.
  var caller: Int?
  /// A condition that was checked as a whole: its operands need no more.
  var refused: Range<Int>?
  private let source: SourceText
  private let version: RulesFile.Version

  private init(source: SourceText, version: RulesFile.Version) {
    self.source = source
    self.version = version
    calls = CallGraph()
    scope = RulesScope(service: .firestore)
  }

  /// Compiles a whole source.
  ///
  /// A source with syntax errors is checked as far as it could be read: all errors are found at once.
  ///
  /// - Parameter coverage: Counts all evaluations of the ruleset; nil counts nothing and costs
  ///   nothing.
  package static func compile(
    _ source: SourceText,
    coverage: RulesCoverage? = nil
  ) throws(RulesCompileError) -> CompiledRuleset {
    guard source.bytes.count <= RulesLimits.sourceBytes else {
      let issue = RulesIssue.error("The source exceeds 262144 bytes.", at: 0..<0)
      throw RulesCompileError(issues: [issue], source: source)
    }
    let (file, syntaxErrors) = RulesParser.parse(source)
    var compiler = RulesCompiler(source: source, version: file.version)
    return try compiler.ruleset(file, syntaxErrors, coverage)
  }

  private mutating func ruleset(
    _ file: RulesFile,
    _ syntaxErrors: [RulesIssue],
    _ coverage: RulesCoverage?
  ) throws(RulesCompileError) -> CompiledRuleset {
    if file.isUnversioned {
      warn(
        "Ruleset uses old version (version [1]). Please update to the latest version (version [2]).",
        0..<0
      )
    }
    if file.services.isEmpty, file.functions.isEmpty, syntaxErrors.isEmpty {
      fail("Rules content empty. Compilation aborted.", 0..<0)
    }
    let outer = scope
    enterFunctions(file.functions)
    var matches: [RulesService: [CompiledMatch]] = [:]
    var seen: Set<String> = []
    for service in file.services {
      if !seen.insert(service.name).inserted {
        fail("Duplicate service name declaration.", service.range)
      }
      let kind = RulesService(rawValue: service.name)
      if kind == nil { warn("Invalid service name: \(service.name).", service.range) }
      let compiled = compile(service, as: kind ?? .firestore)
      if let kind { matches[kind] = compiled }
    }
    scope = outer
    for function in calls.unused { warn("Unused function: \(function.name).", function.range) }
    issues += calls.errors
    if !syntaxErrors.isEmpty {
      // Warnings of names may only be about what could not be read.
      issues = issues.filter { $0.severity == .error } + syntaxErrors
    }
    issues.sort { ($0.range.lowerBound, $0.message) < ($1.range.lowerBound, $1.message) }
    guard !issues.contains(where: { $0.severity == .error }) else {
      throw RulesCompileError(issues: issues, source: source)
    }
    return CompiledRuleset(
      source: source,
      version: version,
      warnings: issues,
      matches: matches,
      functions: functions.compactMap { $0 },
      coverage: coverage
    )
  }

  private mutating func compile(
    _ service: ServiceDeclaration,
    as kind: RulesService
  ) -> [CompiledMatch] {
    let outer = scope
    defer { scope = outer }
    scope.service = kind
    enterFunctions(service.functions)
    var result: [CompiledMatch] = []
    for match in service.matches { compile(match, prefix: [], into: &result) }
    return result
  }

  private mutating func compile(
    _ match: MatchDeclaration,
    prefix: [PatternSegment],
    into result: inout [CompiledMatch]
  ) {
    let outer = scope
    defer { scope = outer }
    let pattern = prefix + match.pattern
    check(match.pattern, of: pattern, at: match.range)
    for name in match.pattern.compactMap(\.name) { scope.addCapture(name) }
    enterFunctions(match.functions)
    let allows = match.allows.map { allow($0) }
    if !allows.isEmpty {
      result.append(CompiledMatch(pattern: PathPattern(pattern, version: version), allows: allows))
    }
    for inner in match.matches { compile(inner, prefix: pattern, into: &result) }
  }

  private mutating func check(
    _ own: [PatternSegment],
    of whole: [PatternSegment],
    at range: Range<Int>
  ) {
    var names: Set<Text> = []
    for name in own.compactMap(\.name) {
      checkVariable(name, range)
      if !names.insert(name).inserted {
        fail("Variable \(name.string) already exists in the PathTemplate.", range)
      }
    }
    if whole.count > RulesLimits.pathSegments {
      fail("Maximum allowed path length of 100 is reached.", range)
    }
    if whole.reduce(0, { $0 + ($1.name == nil ? 0 : 1) }) > RulesLimits.captures {
      fail("Maximum allowed amount of 20 match field variables is reached.", range)
    }
    let globs = whole.indices.filter { if case .glob = whole[$0] { true } else { false } }
    if globs.count > 1 {
      fail("Only one glob match is permitted", range)
    } else if version == .one, let glob = globs.first, glob != whole.count - 1 {
      fail("Glob matches are only permitted at the end of a path in rules version 1", range)
    }
  }

  private mutating func allow(_ allow: AllowDeclaration) -> CompiledAllow {
    var methods: Set<RulesMethod> = []
    for method in allow.methods {
      switch method.name.lowercased() {
      case "read": methods.formUnion([.get, .list])
      case "write": methods.formUnion([.create, .update, .delete])
      case let name:
        if let known = RulesMethod(rawValue: name) {
          methods.insert(known)
        } else {
          warn("Invalid method name: \(method.name).", method.range)
        }
      }
    }
    let condition = allow.condition.map { expression in
      checkPermission(expression)
      return node(expression)
    }
    return CompiledAllow(
      methods: methods.reduce(0) { $0 | $1.bit },
      condition: condition,
      range: allow.range
    )
  }

  mutating func warn(_ message: String, _ range: Range<Int>) {
    issues.append(RulesIssue(.warning, message, at: range))
  }

  mutating func fail(_ message: String, _ range: Range<Int>) {
    issues.append(.error(message, at: range))
  }

  mutating func checkVariable(_ name: Text, _ range: Range<Int>) {
    if isPackage(name) {
      fail("\(name.string) is a package and cannot be used as variable name.", range)
    }
  }

  /// `firestore` is one in Storage's rules, where it is no name that is taken.
  func isPackage(_ name: Text) -> Bool {
    name.string != "firestore" && Builtin.packages.contains(name.string)
  }
}
