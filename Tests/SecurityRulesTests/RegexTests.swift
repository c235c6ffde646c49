import Testing

@testable import SecurityRules

struct RegexTests {
  private static let steps = 1_000_000

  private func matches(_ pattern: String, _ text: String) throws -> Bool {
    var matcher = RegexMatcher(
      try Regex(pattern),
      text.unicodeScalars.map(\.value),
      budget: Self.steps
    )
    let result = matcher.matchesAll()
    #expect(matcher.budget >= 0)
    return result
  }

  @Test(arguments: [
    ("a*b", "aaab", true), ("a*b", "aaabc", false), ("a|ab", "ab", true), (".", "\n", false),
    ("(?s).", "\n", true), ("(?i)abc", "aBC", true), ("(?i)[a-c]+", "ABC", true),
    ("[^a]", "b", true), ("[^a]", "a", false), ("[a-z0-9_-]+", "ab-9_", true), ("[]a]", "]", true),
    ("\\d{3}", "123", true), ("\\d{3}", "1234", false), ("a{2,}", "aaaa", true),
    ("a{,2}", "a{,2}", true),
    ("a{1,2}", "aaa", false), ("^a$", "a", true), ("(?m)a$\\n^b", "a\nb", true),
    ("a$\\nb", "a\nb", false),
    ("\\bfoo\\b", "foo", true), ("\\pL+", "éà", true), ("\\p{Lu}", "É", true),
    ("\\P{Lu}", "é", true),
    ("[[:alpha:]]+", "abc", true), ("[[:^digit:]]+", "abc", true), ("\\Qa.b\\E", "a.b", true),
    ("\\Qa.b\\E", "axb", false), ("(?:ab)+", "abab", true), ("(?P<n>a)(?<m>b)", "ab", true),
    ("\\x41\\x{1F600}", "A😀", true), ("\\w+@\\w+\\.com", "me@here.com", true), ("", "", true),
    ("a??b", "b", true), ("(a*)*", "aaa", true), ("(?i)é", "É", true), ("\\101", "A", true),
    ("[\\d\\s]+", "1 2", true), ("x*", "", true), ("(?i:a)b", "Ab", true), ("(?i:a)b", "AB", false),
  ])
  func `whole texts match`(pattern: String, text: String, expected: Bool) throws {
    #expect(try matches(pattern, text) == expected, "\(pattern) on \(text)")
  }

  @Test(arguments: [
    "(", ")", "[", "a**", "a+*", "*a", "?", "a{2,1}", "a{1001}", "\\1", "(?=a)", "(?<!a)", "[b-a]",
    "\\p{Greek", "\\pX", "\\", "(?P<1", "[[:nothing:]]", "(a{1000}){1000}", "\\y", "\\x{110000}",
  ])
  func `bad patterns are refused`(pattern: String) {
    #expect(throws: RegexError.self) { try Regex(pattern) }
  }

  @Test func `query complexity: time is linear for patterns that make backtracking explode`() throws
  {
    let text = String(repeating: "a", count: 5_000)
    #expect(try !matches("(a*)*b", text))
    #expect(try !matches("(a|aa)+$b", text))
    #expect(try matches("(a?){20}a*", text))
  }

  @Test func `query complexity: the steps of a request are bounded`() throws {
    let text = String(repeating: "a", count: 100_000)
    var matcher = RegexMatcher(
      try Regex("(a{0,500})*b"),
      text.unicodeScalars.map(\.value),
      budget: Self.steps
    )
    let isMatch = matcher.matchesAll()
    #expect(!isMatch)
    #expect(matcher.budget < 0)
  }

  @Test func `empty repetitions cost nothing`() throws {
    #expect(try matches("(?:(?:(?:){1000}){1000}){1000}", ""))
  }
}
