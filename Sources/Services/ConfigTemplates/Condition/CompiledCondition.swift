/// A condition's expression, compiled once and evaluated for every request.
struct CompiledCondition: Sendable {
  let terms: [ConditionTerm]
  /// True if the condition stays true of installations that it was true of.
  let isSticky: Bool

  /// Compiles an expression.
  init(_ expression: String) throws(ConditionError) {
    terms = try ConditionParser.terms(of: expression)
    isSticky = terms.contains { if case .sticky = $0 { true } else { false } }
  }

  /// Returns true if the condition is true of a client at a time.
  func holds(for client: inout ConfigClient.Reading, at now: Int64) -> Bool {
    terms.allSatisfy { $0.holds(for: &client, at: now) }
  }

  /// The first time after `now` at which a term about the time changes; nil where none does.
  func nextChange(after now: Int64) -> Int64? {
    terms.compactMap { term in
      guard case .time(let comparison, let instant) = term else { return nil }
      // A comparison that has the instant itself apart changes again just behind it.
      let changes =
        switch comparison {
        case .less, .greaterOrEqual: [instant]
        case .lessOrEqual, .greater: [instant + 1]
        case .equal, .notEqual: [instant, instant + 1]
        }
      return changes.first { $0 > now }
    }.min()
  }
}

extension ConditionTerm {
  fileprivate func holds(for client: inout ConfigClient.Reading, at now: Int64) -> Bool {
    switch self {
    case .constant(let value): return value
    case .sticky: return true
    case .appID(let ids): return client.client.appID.map(ids.contains) ?? false
    case .platform(let names): return client.client.platform.map(names.contains) ?? false
    case .country(let codes): return client.country.map(codes.contains) ?? false
    case .language(let tags): return client.isLanguage(in: tags)
    case .installation(let ids): return client.client.installationID.map(ids.contains) ?? false
    case .text(let attribute, let test): return client[attribute].map(test.holds) ?? false
    case .version(let attribute, let comparison, let versions):
      guard let version = client.version(attribute) else { return false }
      return comparison.holds(version, toAnyOf: versions)
    case .number(let attribute, let comparison, let number):
      guard let value = client[attribute].flatMap(Double.init(attribute:)) else { return false }
      return comparison.holds(value, number)
    case .audiences(let test, let named):
      return client.audiences.map { test.holds($0, named) } ?? false
    case .firstOpen(let comparison, let instant):
      return client.client.firstOpenTime.map { comparison.holds($0, instant) } ?? false
    case .time(let comparison, let instant): return comparison.holds(now, instant)
    case .percent(let range):
      return client.percentile(seed: range.seed).map(range.contains) ?? false
    case .agent(let part, let tests): return client.isAgent(part, in: tests)
    }
  }
}

extension Double {
  /// The number of an attribute's text; nil where it is none.
  init?(attribute text: String) {
    let text = text.trimmed
    guard !text.utf8.contains(where: { $0 == UInt8(ascii: "x") || $0 == UInt8(ascii: "X") }),
      let number = Double(text), !number.isNaN
    else { return nil }
    self = number
  }
}
