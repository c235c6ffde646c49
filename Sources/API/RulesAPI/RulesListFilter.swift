import Access
import BaseStatus
import BaseText
import FirestoreModel
import FirestoreWire

/// A filter of a list of rulesets or releases: restrictions that all have to hold.
///
///     name=cloud.* ruleset_name=uuid1234
///     create_time > date("2026-01-01T00:00:00Z") AND name=UUID-*
///
/// `:` means the same as `=`. Names may be given in full or without the project's common part, in
/// quotes or without; `*` matches any text.
struct RulesListFilter {
  /// The fields that a filter may test.
  enum Field {
    case name, rulesetName, testSuiteName, createTime

    /// The field of a name in either of the API's spellings; nil where there is none.
    init?(_ name: String) {
      switch name {
      case "name": self = .name
      case "ruleset_name", "rulesetName": self = .rulesetName
      case "test_suite_name", "testSuiteName": self = .testSuiteName
      case "create_time", "createTime": self = .createTime
      default: return nil
      }
    }
  }

  private enum Restriction {
    case text(Field, pattern: [UInt8])
    case time(FilterToken.Comparison, CommitVersion)
  }

  private let restrictions: [Restriction]

  /// Reads a filter; INVALID_ARGUMENT for one that is malformed or about other fields.
  init(_ text: String, of fields: Set<Field>) throws(ServiceError) {
    var tokens = try FilterToken.all(in: text)[...]
    var restrictions: [Restriction] = []
    while !tokens.isEmpty {
      if !restrictions.isEmpty, tokens.first == .word("AND") { tokens.removeFirst() }
      restrictions.append(try Self.restriction(from: &tokens, of: fields))
    }
    self.restrictions = restrictions
  }

  private static func restriction(
    from tokens: inout ArraySlice<FilterToken>,
    of fields: Set<Field>
  ) throws(ServiceError) -> Restriction {
    guard case .word(let name)? = tokens.popFirst(), let field = Field(name),
      fields.contains(field), case .comparison(let comparison)? = tokens.popFirst(),
      let value = tokens.popFirst()
    else { throw invalid }
    if field == .createTime {
      guard value == .word("date"), tokens.popFirst() == .opening,
        case .quoted(let text)? = tokens.popFirst(), tokens.popFirst() == .closing,
        let instant = TimestampText.parse(text)
      else { throw invalid }
      return .time(comparison, CommitVersion(microseconds: instant.microseconds))
    }
    guard comparison == .equal else { throw invalid }
    switch value {
    case .word(let text), .quoted(let text): return .text(field, pattern: Array(text.utf8))
    default: throw invalid
    }
  }

  /// Returns true if the list shows the ruleset.
  func admits(_ ruleset: StoredRuleset) -> Bool {
    restrictions.allSatisfy { restriction in
      switch restriction {
      case .time(let comparison, let time): comparison.holds(ruleset.createTime, time)
      case .text(.name, let pattern):
        Self.matches(pattern, ruleset.id, of: "rulesets", in: ruleset.project)
      case .text: false
      }
    }
  }

  /// Returns true if the list shows the release.
  ///
  /// None has a test suite.
  func admits(_ release: StoredRelease) -> Bool {
    restrictions.allSatisfy { restriction in
      switch restriction {
      case .text(.name, let pattern):
        Self.matches(pattern, release.name, of: "releases", in: release.project)
      case .text(.rulesetName, let pattern):
        Self.matches(pattern, release.rulesetID, of: "rulesets", in: release.project)
      case .text, .time: false
      }
    }
  }

  private static func matches(
    _ pattern: [UInt8],
    _ name: Text,
    of collection: String,
    in project: Text
  ) -> Bool {
    let full = "projects/\(project.string)/\(collection)/\(name.string)"
    return [name.string, full].contains { matches(pattern[...], Array($0.utf8)[...]) }
  }

  /// Returns true if a text matches a pattern with `*`, in steps of the product of their lengths.
  private static func matches(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
    var (pattern, text) = (pattern, text)
    var retry: (pattern: ArraySlice<UInt8>, text: ArraySlice<UInt8>)?
    while let next = text.first {
      if pattern.first == UInt8(ascii: "*") {
        pattern.removeFirst()
        retry = (pattern, text)
      } else if pattern.first == next {
        pattern.removeFirst()
        text.removeFirst()
      } else if let last = retry {
        retry = (last.pattern, last.text.dropFirst())
        (pattern, text) = (last.pattern, last.text.dropFirst())
      } else {
        return false
      }
    }
    return pattern.allSatisfy { $0 == UInt8(ascii: "*") }
  }

  fileprivate static let invalid = ServiceError.invalidArgument(
    "The filter is not supported for this list; see the documentation of firebaserules.googleapis.com."
  )
}

/// A word of a filter.
private enum FilterToken: Equatable {
  enum Comparison {
    case equal, less, lessOrEqual, greater, greaterOrEqual

    func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
      switch self {
      case .equal: left == right
      case .less: left < right
      case .lessOrEqual: left <= right
      case .greater: left > right
      case .greaterOrEqual: left >= right
      }
    }
  }

  case word(String)
  case quoted(String)
  case comparison(Comparison)
  case opening
  case closing

  /// The words of a filter.
  static func all(in text: String) throws(ServiceError) -> [FilterToken] {
    var rest = text.unicodeScalars[...]
    var tokens: [FilterToken] = []
    while let first = rest.first {
      switch first {
      case " ", "\t":
        rest.removeFirst()
      case "(", ")":
        tokens.append(first == "(" ? .opening : .closing)
        rest.removeFirst()
      case "=", ":", "<", ">":
        tokens.append(.comparison(comparison(from: &rest)))
      case "\"", "'":
        tokens.append(.quoted(try quoted(from: &rest)))
      default:
        let word = rest.prefix { !" \t()=:<>\"'".unicodeScalars.contains($0) }
        rest = rest.dropFirst(word.count)
        tokens.append(.word(String(word)))
      }
    }
    return tokens
  }

  private static func comparison(
    from rest: inout Substring.UnicodeScalarView
  ) -> Comparison {
    let first = rest.removeFirst()
    guard first == "<" || first == ">" else { return .equal }
    let includesEqual = rest.first == "="
    if includesEqual { rest.removeFirst() }
    switch (first, includesEqual) {
    case ("<", true): return .lessOrEqual
    case ("<", false): return .less
    case (_, true): return .greaterOrEqual
    case (_, false): return .greater
    }
  }

  private static func quoted(
    from rest: inout Substring.UnicodeScalarView
  ) throws(ServiceError) -> String {
    let quote = rest.removeFirst()
    let content = rest.prefix { $0 != quote }
    rest = rest.dropFirst(content.count)
    guard rest.popFirst() != nil else { throw RulesListFilter.invalid }
    return String(content)
  }
}
