/// The registrations that a message goes to, by their topics: `'a' in topics && !('b' in topics ||
/// 'c' in topics)`.
package indirect enum TopicCondition: Sendable, Equatable {
  case topic(TopicName)
  case not(TopicCondition)
  case and(TopicCondition, TopicCondition)
  case or(TopicCondition, TopicCondition)

  /// Topics that one condition may name.
  package static let topicLimit = 5

  /// Reads a condition; nil where it is malformed or names too many topics.
  package init?(parsing text: String) {
    guard text.utf8.count <= 5_000 else { return nil }
    var parser = TopicConditionParser(Array(text.utf8))
    guard let condition = parser.condition(), condition.topics.count <= Self.topicLimit else {
      return nil
    }
    self = condition
  }

  /// The topics that it names, each once, in the order of their names.
  package var topics: [TopicName] {
    switch self {
    case .topic(let name): return [name]
    case .not(let inner): return inner.topics
    case .and(let left, let right), .or(let left, let right):
      return Set(left.topics + right.topics).sorted()
    }
  }

  /// Returns true if the condition is true of a registration that is subscribed to those topics.
  package func holds(for topics: Set<TopicName>) -> Bool {
    switch self {
    case .topic(let name): topics.contains(name)
    case .not(let inner): !inner.holds(for: topics)
    case .and(let left, let right): left.holds(for: topics) && right.holds(for: topics)
    case .or(let left, let right): left.holds(for: topics) || right.holds(for: topics)
    }
  }
}

/// Reads conditions; safe on hostile text, since the depth is bounded.
///
/// `&&` binds before `||`.
private struct TopicConditionParser {
  private static let deepest = 32

  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func condition() -> TopicCondition? {
    let result = alternatives(depth: 0)
    skipSpace()
    return position == bytes.count ? result : nil
  }

  private mutating func alternatives(depth: Int) -> TopicCondition? {
    guard depth < Self.deepest, var result = terms(depth: depth) else { return nil }
    while take("||") {
      guard let next = terms(depth: depth) else { return nil }
      result = .or(result, next)
    }
    return result
  }

  private mutating func terms(depth: Int) -> TopicCondition? {
    guard var result = factor(depth: depth) else { return nil }
    while take("&&") {
      guard let next = factor(depth: depth) else { return nil }
      result = .and(result, next)
    }
    return result
  }

  private mutating func factor(depth: Int) -> TopicCondition? {
    guard depth < Self.deepest else { return nil }
    if take("!") { return factor(depth: depth + 1).map(TopicCondition.not) }
    if take("(") {
      guard let inner = alternatives(depth: depth + 1), take(")") else { return nil }
      return inner
    }
    return membership()
  }

  private mutating func membership() -> TopicCondition? {
    skipSpace()
    guard position < bytes.count, bytes[position] == 0x27 || bytes[position] == 0x22 else {
      return nil
    }
    let quote = bytes[position]
    let name = bytes[(position + 1)...].prefix { $0 != quote }
    position = name.endIndex + 1
    guard position <= bytes.count, take("in"), take("topics") else { return nil }
    return TopicName(String(decoding: name, as: UTF8.self)).map(TopicCondition.topic)
  }

  private mutating func take(_ word: StaticString) -> Bool {
    skipSpace()
    guard bytes[position...].starts(with: "\(word)".utf8) else { return false }
    position += word.utf8CodeUnitCount
    return true
  }

  private mutating func skipSpace() {
    while position < bytes.count, bytes[position] == 0x20 { position += 1 }
  }
}
