import SecurityRules

/// Parses a condition's expression: terms joined by `&&`.
///
///     term       true | false | sticky
///                app.id == 'text' | device.os == 'text' | device.country in ['text', …]
///                device.language in [ ] | app.id in [ ] | device.os in [ ]
///                app.firebaseInstallationId in [ ]
///                attribute.contains([ ]) | .notContains | .exactlyMatches | .matches | .>=([ ]) …
///                attribute <= 5 | version(attribute) >= '1.2'
///                app.audiences.inAtLeastOne([ ]) | .inAll | .notInAtLeastOne | .notInAll
///                app.firstOpenTimestamp <= ('2025-01-01T09:00:00', 'Europe/Lisbon')
///                dateTime < dateTime('2025-01-01T09:00:00', 'Europe/Lisbon')
///                percent <= 10 | percent('seed') > 5.25 | percent('seed') between 0 and 20
///                app.operatingSystemAndVersion.inAtLeastOne([operatingSystemName('x').version.>=([10])])
///     attribute  app.version | app.build | app.userProperty['name'] | app.customSignal['name']
struct ConditionParser {
  private let tokens: [ConditionToken]
  private var position = 0
  /// Terms that a condition may have.
  private static let maximumTerms = 100

  /// The terms of an expression.
  static func terms(of expression: String) throws(ConditionError) -> [ConditionTerm] {
    var parser = ConditionParser(tokens: try ConditionToken.all(in: expression))
    return try parser.conjunction()
  }

  private init(tokens: [ConditionToken]) { self.tokens = tokens }

  private mutating func conjunction() throws(ConditionError) -> [ConditionTerm] {
    var terms = [try term()]
    while current.kind != .end {
      guard take("&&") else { throw unexpected("\"&&\" or the end is expected") }
      guard terms.count < Self.maximumTerms else {
        throw error("A condition can have at most \(Self.maximumTerms) terms.")
      }
      terms.append(try term())
    }
    return terms
  }

  private mutating func term() throws(ConditionError) -> ConditionTerm {
    guard case .word(let word) = current.kind else {
      throw unexpected("a term such as app.version, device.os or percent is expected")
    }
    let start = current
    position += 1
    switch word {
    case "true": return .constant(true)
    case "false": return .constant(false)
    case "sticky": return .sticky
    case "percent": return .percent(try percent())
    case "dateTime": return try dateTime()
    case "version": return try wrappedVersion()
    case "firebaseInstallationId": return .installation(try oneOf())
    case "app", "device":
      try expect(".")
      return try member(of: word)
    default: throw ConditionError(column: start.column, "There is no attribute \"\(word)\".")
    }
  }

  private mutating func member(of object: String) throws(ConditionError) -> ConditionTerm {
    let column = current.column
    let name = try word()
    switch (object, name) {
    case ("app", "id"): return .appID(try oneOf())
    case ("app", "firebaseInstallationId"): return .installation(try oneOf())
    case ("app", "audiences"): return try audiences()
    case ("app", "firstOpenTimestamp"): return .firstOpen(try comparison(), try zonedTime())
    case ("app", "operatingSystemAndVersion"): return try agent(.operatingSystem)
    case ("app", "browserAndVersion"): return try agent(.browser)
    case ("app", _):
      guard let attribute = try attribute(named: name) else { break }
      return try test(of: attribute)
    case ("device", "os"): return .platform(Set(try oneOf().map { $0.lowercased() }))
    case ("device", "country"): return .country(Set(try oneOf().map { $0.uppercased() }))
    case ("device", "language"): return .language(Set(try oneOf().map(\.languageTag)))
    case ("device", "dateTime"): return try dateTime()
    default: break
    }
    throw ConditionError(column: column, "\"\(object)\" has no \"\(name)\".")
  }

  // MARK: Terms

  private mutating func attribute(named name: String) throws(ConditionError) -> ConfigAttribute? {
    switch name {
    case "version": return .appVersion
    case "build": return .appBuild
    case "userProperty": return .userProperty(try key())
    case "customSignal": return .customSignal(try key())
    default: return nil
    }
  }

  private mutating func key() throws(ConditionError) -> String {
    try expect("[")
    let key = try string()
    try expect("]")
    return key
  }

  private mutating func test(of attribute: ConfigAttribute) throws(ConditionError) -> ConditionTerm
  {
    guard take(".") else {
      let comparison = try comparison()
      guard attribute != .appVersion, attribute != .appBuild else {
        throw error("Versions are compared as in app.version.>=(['1.2']).")
      }
      return .number(attribute, comparison, try double())
    }
    if case .symbol(let symbol) = current.kind, let comparison = Comparison(symbol: symbol) {
      position += 1
      let versions = try parenthesized { parser throws(ConditionError) in try parser.versions() }
      return .version(attribute, comparison, versions)
    }
    return .text(attribute, try textTest())
  }

  private mutating func textTest() throws(ConditionError) -> TextTest {
    let column = current.column
    let name = try word()
    let strings = try parenthesized { parser throws(ConditionError) in try parser.strings() }
    switch name {
    case "contains": return .contains(strings)
    case "notContains": return .containsNone(strings)
    case "exactlyMatches": return .equals(Set(strings.map(\.trimmed)))
    case "matches": return try Self.patterns(strings, column: column)
    default:
      throw ConditionError(
        column: column,
        "\"\(name)\" must be contains, notContains, exactlyMatches or matches."
      )
    }
  }

  private static func patterns(
    _ sources: [String],
    column: Int
  ) throws(ConditionError) -> TextTest {
    var patterns: [TextPattern] = []
    for source in sources {
      do throws(TextPattern.Malformed) {
        patterns.append(try TextPattern(source))
      } catch {
        throw ConditionError(
          column: column,
          "'\(source)' is not a valid pattern: \(error.message)."
        )
      }
    }
    return .matches(patterns, sources: sources)
  }

  private mutating func wrappedVersion() throws(ConditionError) -> ConditionTerm {
    try expect("(")
    let column = current.column
    guard try word() == "app", take("."), let attribute = try attribute(named: try word()) else {
      throw ConditionError(
        column: column,
        "An attribute such as app.customSignal['name'] is expected."
      )
    }
    try expect(")")
    return .version(attribute, try comparison(), [try version()])
  }

  private mutating func audiences() throws(ConditionError) -> ConditionTerm {
    try expect(".")
    let column = current.column
    guard let test = AudienceTest(rawValue: try word()) else {
      throw ConditionError(
        column: column,
        "inAtLeastOne, inAll, notInAtLeastOne or notInAll is expected."
      )
    }
    let names = try parenthesized { parser throws(ConditionError) in try parser.strings() }
    return .audiences(test, Set(names))
  }

  private mutating func agent(_ part: AgentPart) throws(ConditionError) -> ConditionTerm {
    try expect(".")
    guard try word() == "inAtLeastOne" else { throw error("inAtLeastOne is expected.") }
    return .agent(
      part,
      try parenthesized { parser throws(ConditionError) in
        try parser.list { parser throws(ConditionError) in try parser.agentTest(part) }
      }
    )
  }

  private mutating func agentTest(_ part: AgentPart) throws(ConditionError) -> AgentTest {
    guard try word() == part.rawValue else { throw error("\(part.rawValue)('…') is expected.") }
    let name = try parenthesized { parser throws(ConditionError) in try parser.string() }
    try expect(".")
    guard try word() == "version" else { throw error("\".version\" is expected.") }
    try expect(".")
    let comparison = try comparison()
    let versions = try parenthesized { parser throws(ConditionError) in try parser.versions() }
    return AgentTest(name: name.lowercased(), comparison: comparison, versions: versions)
  }

  private mutating func dateTime() throws(ConditionError) -> ConditionTerm {
    let comparison = try comparison()
    guard case .word("dateTime") = current.kind else {
      throw unexpected("dateTime('2025-01-01T09:00:00', 'UTC') is expected")
    }
    position += 1
    return .time(comparison, try zonedTime())
  }

  private mutating func zonedTime() throws(ConditionError) -> Int64 {
    try expect("(")
    let column = current.column
    let text = try string()
    let zone = take(",") ? try string() : "UTC"
    try expect(")")
    guard let instant = ZonedTime.instant(text, zone: zone) else {
      throw ConditionError(
        column: column,
        "'\(text)', '\(zone)' is not a time such as '2025-01-01T09:00:00', 'Europe/Lisbon'."
      )
    }
    return instant
  }

  private mutating func percent() throws(ConditionError) -> PercentRange {
    let seed =
      current.kind == .symbol("(")
      ? try parenthesized { parser throws(ConditionError) in try parser.string() } : ""
    if case .word("between") = current.kind {
      position += 1
      let lower = try microPercent()
      guard try word() == "and" else { throw error("\"and\" is expected.") }
      let upper = try microPercent()
      guard lower <= upper else { throw error("The lower bound is above the upper bound.") }
      return PercentRange(seed: seed, .between(lower, upper))
    }
    if take("<=") { return PercentRange(seed: seed, .atMost(try microPercent())) }
    if take(">") { return PercentRange(seed: seed, .above(try microPercent())) }
    throw unexpected("\"<=\", \">\" or \"between\" is expected")
  }

  /// A percentage with at most six decimals.
  private mutating func microPercent() throws(ConditionError) -> Int {
    let column = current.column
    guard case .number(let text) = current.kind else {
      throw unexpected("a percentage is expected")
    }
    position += 1
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    let decimals = parts.count > 1 ? String(parts[1]) : ""
    guard parts.count <= 2, decimals.count <= 6, let whole = Int(parts[0]), !text.hasPrefix("-"),
      let fraction = Int(decimals + String(repeating: "0", count: 6 - decimals.count)),
      whole <= 100, whole * 1_000_000 + fraction <= PercentRange.whole
    else {
      throw ConditionError(
        column: column,
        "A percentage must be between 0 and 100, with at most six decimals."
      )
    }
    return whole * 1_000_000 + fraction
  }

  // MARK: Parts of terms

  private var current: ConditionToken { tokens[position] }

  private func error(_ message: String) -> ConditionError {
    ConditionError(column: tokens[max(0, position - 1)].column, message)
  }

  private func unexpected(_ expectation: String) -> ConditionError {
    let problem =
      switch current.kind {
      case .symbol("||"): "\"||\" is not supported. Give the parameter a value for each condition."
      case .symbol("!"): "\"!\" is not supported. Use the opposite operator."
      case .symbol("("): "Parentheses around terms are not supported."
      default: "\(expectation), not \(current.kind.description)."
      }
    let sentence = problem.prefix(1).uppercased() + problem.dropFirst()
    return ConditionError(column: current.column, sentence)
  }

  private mutating func take(_ symbol: String) -> Bool {
    guard current.kind == .symbol(symbol) else { return false }
    position += 1
    return true
  }

  private mutating func expect(_ symbol: String) throws(ConditionError) {
    guard take(symbol) else { throw unexpected("\"\(symbol)\" is expected") }
  }

  private mutating func word() throws(ConditionError) -> String {
    guard case .word(let word) = current.kind else { throw unexpected("a name is expected") }
    position += 1
    return word
  }

  private mutating func string() throws(ConditionError) -> String {
    guard case .string(let text) = current.kind else {
      throw unexpected("a quoted string is expected")
    }
    position += 1
    return text
  }

  private mutating func comparison() throws(ConditionError) -> Comparison {
    guard case .symbol(let symbol) = current.kind, let comparison = Comparison(symbol: symbol)
    else {
      throw unexpected("a comparison is expected")
    }
    position += 1
    return comparison
  }

  private mutating func double() throws(ConditionError) -> Double {
    guard case .number(let text) = current.kind, let number = Double(text) else {
      throw unexpected("a number is expected")
    }
    position += 1
    return number
  }

  /// A version in quotes, or one that is a number.
  private mutating func version() throws(ConditionError) -> VersionNumber {
    let column = current.column
    let text: String
    if case .number(let digits) = current.kind {
      text = digits
      position += 1
    } else {
      text = try string()
    }
    guard let version = VersionNumber(text.trimmed) else {
      throw ConditionError(column: column, "'\(text)' is not a version such as '1.12.3'.")
    }
    return version
  }

  private mutating func versions() throws(ConditionError) -> [VersionNumber] {
    try list { parser throws(ConditionError) in try parser.version() }
  }

  private mutating func strings() throws(ConditionError) -> [String] {
    try list { parser throws(ConditionError) in try parser.string() }
  }

  /// Reads the operand of `==` or `in`.
  private mutating func oneOf() throws(ConditionError) -> Set<String> {
    if take("==") { return [try string()] }
    guard case .word("in") = current.kind else { throw unexpected("\"==\" or \"in\" is expected") }
    position += 1
    return Set(try strings())
  }

  private mutating func list<Element>(
    _ element: (inout ConditionParser) throws(ConditionError) -> Element
  ) throws(ConditionError) -> [Element] {
    try expect("[")
    var elements: [Element] = []
    repeat { elements.append(try element(&self)) } while take(",")
    try expect("]")
    return elements
  }

  private mutating func parenthesized<Content>(
    _ content: (inout ConditionParser) throws(ConditionError) -> Content
  ) throws(ConditionError) -> Content {
    try expect("(")
    let content = try content(&self)
    try expect(")")
    return content
  }
}

extension String {
  /// A language's tag in small letters with hyphens: `pt_BR` is `pt-br`.
  var languageTag: String { String(lowercased().map { $0 == "_" ? "-" : $0 }) }
}
