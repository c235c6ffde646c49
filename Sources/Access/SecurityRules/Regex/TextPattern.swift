/// A regular expression of RE2's language that is looked for anywhere in a text, in time linear in it.
package struct TextPattern: Sendable {
  /// The error of a malformed pattern, in words for its author.
  package struct Malformed: Error, Sendable {
    /// The first fault that was found, such as `unexpected )`.
    package let message: String
  }

  private let regex: Regex
  /// Steps that a search may take for each character and state.
  private static let stepsPerScalar = 64

  /// Compiles a pattern.
  package init(_ pattern: String) throws(Malformed) {
    do throws(RegexError) {
      // Alone first: a pattern with an unmatched parenthesis could become one with the frame.
      _ = try Regex(pattern)
      regex = try Regex("(?s:.*)(?:\(pattern))(?s:.*)")
    } catch {
      throw Malformed(message: error.message)
    }
  }

  /// Returns true if some part of the text matches.
  package func isFound(in text: String) -> Bool {
    let scalars = text.unicodeScalars.map(\.value)
    let budget = (scalars.count + 1) * (regex.program.count + 1) * Self.stepsPerScalar
    var matcher = RegexMatcher(regex, scalars, budget: budget)
    return matcher.matchesAll()
  }
}
