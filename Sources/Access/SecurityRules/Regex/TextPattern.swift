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

  /// The number of instructions that the pattern became.
  package var size: Int { regex.program.count }

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
    var steps = (text.unicodeScalars.count + 1) * (regex.program.count + 1) * Self.stepsPerScalar
    return isFound(in: text, steps: &steps)
  }

  /// Returns true if some part of the text matches, and takes the steps of the search from `steps`.
  ///
  /// Nothing is decided if none are left after it.
  package func isFound(in text: String, steps: inout Int) -> Bool {
    let scalars = text.unicodeScalars.map(\.value)
    var matcher = RegexMatcher(regex, scalars, budget: steps - scalars.count)
    defer { steps = matcher.budget }
    return matcher.matchesAll()
  }
}
