import Testing

@testable import PushMessaging

@Suite struct TopicConditionTests {
  @Test(arguments: [
    ("'a' in topics", ["a"], true), ("'a' in topics", ["b"], false),
    ("'a' in topics && 'b' in topics", ["a"], false),
    ("'a' in topics || 'b' in topics && 'c' in topics", ["a"], true),
    ("('a' in topics || 'b' in topics) && 'c' in topics", ["a"], false),
    ("!('a' in topics)", [], true), ("!'a' in topics", ["a"], false),
    ("\"a\" in topics&&!( 'b' in topics||'c' in topics )", ["a", "d"], true),
    ("\"a\" in topics&&!( 'b' in topics||'c' in topics )", ["a", "c"], false),
  ])
  func `a condition is true of the registrations that it describes`(
    text: String,
    topics: [String],
    expected: Bool
  ) throws {
    let condition = try #require(TopicCondition(parsing: text))
    #expect(condition.holds(for: Set(topics.compactMap { TopicName($0) })) == expected)
  }

  @Test(arguments: [
    "", "a", "'a'", "'a' in topic", "'a' in topics &&", "'a' in topics 'b' in topics",
    "('a' in topics",
    "'a' in topics)", "'a b' in topics", "'' in topics", "'a in topics", "!",
    "'a' in topics & 'b' in topics",
    "'a' in topics||'b' in topics||'c' in topics||'d' in topics||'e' in topics||'f' in topics",
  ])
  func `a malformed condition is none`(text: String) {
    #expect(TopicCondition(parsing: text) == nil)
  }

  @Test func `deep conditions are refused`() {
    let text = String(repeating: "!", count: 1_000) + "'a' in topics"
    #expect(TopicCondition(parsing: text) == nil)
  }

  @Test func `a topic may come with its prefix`() {
    #expect(TopicName("/topics/news")?.text == "news")
    #expect(TopicName("/topics/") == nil && TopicName("a/b") == nil && TopicName("é") == nil)
  }
}
