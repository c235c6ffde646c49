import BaseText

/// A regular expression of RE2's language for matching whole texts and finding all matches, in time linear in the
/// text for each match.
package struct TextSearch: Sendable {
  private let regex: Regex
  private static let stepsPerScalar = 64
  /// Some seconds of work, whatever the text and the pattern are.
  private static let mostSteps = 100_000_000

  /// The capturing groups of the pattern.
  package var groupCount: Int { regex.groupCount }

  /// The number of instructions that the pattern became.
  package var size: Int { regex.program.count }

  /// Compiles a pattern.
  package init(_ pattern: String) throws(TextPattern.Malformed) {
    do throws(RegexError) {
      regex = try Regex(pattern)
    } catch {
      throw TextPattern.Malformed(message: error.message)
    }
  }

  /// Returns true if the pattern matches the whole text, nil if the decision takes more steps than
  /// a search may.
  package func matchesWhole(_ text: Text) -> Bool? {
    let scalars = text.string.unicodeScalars.map(\.value)
    var matcher = RegexMatcher(regex, scalars, budget: budget(scalars.count))
    let matches = matcher.matchesAll()
    return matcher.budget < 0 ? nil : matches
  }

  /// The leftmost matches that do not overlap, at most `limit`; of each the text of its only group where the
  /// pattern has exactly one, else the whole.
  ///
  /// Nil where finding them all takes more steps than a search may.
  package func matches(in text: Text, limit: Int = .max) -> [Text]? {
    let scalars = text.string.unicodeScalars.map(\.value)
    var matcher = RegexMatcher(regex, scalars, budget: budget(scalars.count))
    var found: [Text] = []
    var position = 0
    while position <= scalars.count, found.count < limit {
      guard let match = matcher.firstMatch(from: position) else { break }
      let (start, end) = (match[0], match[1])
      if regex.groupCount == 1, match[2] >= 0 {
        found.append(matcher.text(match[2]..<match[3]))
      } else {
        found.append(matcher.text(start..<end))
      }
      position = end > start ? end : end + 1
    }
    return matcher.budget < 0 ? nil : found
  }

  /// The groups of the leftmost match, by number (`1` is the first) and by name; a group that took no part is empty.
  ///
  /// Nil without a match, or where finding one takes more steps than a search may.
  package func captures(in text: String) -> [String: String]? {
    var steps = budget(text.unicodeScalars.count)
    return captures(in: text, steps: &steps)
  }

  /// The same, and takes the steps of the search from `steps`; nothing is decided if none are left
  /// after it.
  package func captures(in text: String, steps: inout Int) -> [String: String]? {
    let scalars = text.unicodeScalars.map(\.value)
    var matcher = RegexMatcher(regex, scalars, budget: steps - scalars.count)
    defer { steps = matcher.budget }
    guard let match = matcher.firstMatch(from: 0), matcher.budget >= 0 else { return nil }
    var found: [String: String] = [:]
    for group in 0..<regex.groupCount {
      let (start, end) = (match[2 * group + 2], match[2 * group + 3])
      found["\(group + 1)"] = start < 0 ? "" : matcher.text(start..<end).string
    }
    for (name, number) in regex.groupNames { found[name] = found["\(number)"] }
    return found
  }

  private func budget(_ count: Int) -> Int {
    min(Self.mostSteps, (count + 1) * (regex.program.count + 1) * Self.stepsPerScalar)
  }
}
