/// The name of a topic: letters, digits and `-_.~%`, at most 900 of them.
package struct TopicName: Sendable, Hashable, Comparable {
  /// The name without `/topics/` before it.
  package let text: String

  private static let longest = 900

  /// A topic's name, with or without `/topics/` before it; nil for a text that is none.
  package init?(_ text: some StringProtocol) {
    let prefix = "/topics/"
    let name = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : String(text)
    guard !name.isEmpty, name.utf8.count <= Self.longest, name.utf8.allSatisfy(Self.isAllowed)
    else { return nil }
    self.text = name
  }

  /// Returns true if names of topics, and labels of messages, may have that character.
  static func isAllowed(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."), UInt8(ascii: "~"), UInt8(ascii: "%"):
      true
    default: false
    }
  }

  /// Orders names by their UTF-8 bytes, as keys of the store are ordered.
  package static func < (left: TopicName, right: TopicName) -> Bool {
    left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
  }
}
