import SecurityRules

/// One term of a condition, ready to be evaluated; a condition is true where all its terms are.
///
/// A term about a fact that the request lacks is false for every operator.
enum ConditionTerm: Sendable {
  case constant(Bool)
  /// The condition stays true for an installation for which it was true once.
  case sticky
  case appID(Set<String>)
  case platform(Set<String>)
  /// In capitals.
  case country(Set<String>)
  /// In small letters, with hyphens.
  case language(Set<String>)
  case installation(Set<String>)
  case text(ConfigAttribute, TextTest)
  case version(ConfigAttribute, Comparison, [VersionNumber])
  case number(ConfigAttribute, Comparison, Double)
  case audiences(AudienceTest, Set<String>)
  /// Microseconds since the epoch.
  case firstOpen(Comparison, Int64)
  case time(Comparison, Int64)
  case percent(PercentRange)
  case agent(AgentPart, [AgentTest])
}

/// The attributes of a client that expressions compare as text, number or version.
package enum ConfigAttribute: Sendable, Hashable {
  case appVersion
  case appBuild
  case userProperty(String)
  case customSignal(String)
}

/// A test of a text against a list.
enum TextTest: Sendable {
  case contains([String])
  case containsNone([String])
  /// Space around both sides does not count.
  case equals(Set<String>)
  case matches([TextPattern], sources: [String])

  /// Returns true if the text passes.
  func holds(_ text: String) -> Bool {
    switch self {
    case .contains(let targets): targets.contains { text.hasBytes(of: $0) }
    case .containsNone(let targets): !targets.contains { text.hasBytes(of: $0) }
    case .equals(let targets): targets.contains(text.trimmed)
    case .matches(let patterns, _): patterns.contains { $0.isFound(in: text) }
    }
  }
}

/// The comparison of an installation's audiences with a list.
package enum AudienceTest: String, Sendable {
  case inAtLeastOne, inAll, notInAtLeastOne, notInAll

  /// Returns true if an installation that is in `held` passes.
  func holds(_ held: Set<String>, _ named: Set<String>) -> Bool {
    switch self {
    case .inAtLeastOne: !held.isDisjoint(with: named)
    case .inAll: named.isSubset(of: held)
    case .notInAtLeastOne: !named.isSubset(of: held)
    case .notInAll: held.isDisjoint(with: named)
    }
  }
}

/// A part of what a browser says of itself.
enum AgentPart: String, Sendable {
  case operatingSystem = "operatingSystemName"
  case browser = "browserName"
}

/// A system's or browser's name and a test of its version.
struct AgentTest: Sendable {
  /// In small letters.
  let name: String
  let comparison: Comparison
  let versions: [VersionNumber]
}

extension Comparison {
  /// Returns true if the comparison holds for the version and one of a list; inequality must hold
  /// for all.
  func holds(_ version: VersionNumber, toAnyOf versions: [VersionNumber]) -> Bool {
    self == .notEqual
      ? !versions.contains(version) : versions.contains { holds(version, $0) }
  }
}

extension String {
  /// Without space at its ends.
  var trimmed: String {
    let scalars = unicodeScalars
    guard let first = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
      let last = scalars.lastIndex(where: { !$0.properties.isWhitespace })
    else { return "" }
    return String(scalars[first...last])
  }

  /// Returns true if this text's UTF-8 bytes contain the other's.
  func hasBytes(of other: String) -> Bool {
    let (bytes, part) = (Array(utf8), Array(other.utf8))
    guard let first = part.first else { return true }
    guard bytes.count >= part.count else { return false }
    return (0...(bytes.count - part.count)).contains { start in
      bytes[start] == first && bytes[start..<(start + part.count)].elementsEqual(part)
    }
  }
}
