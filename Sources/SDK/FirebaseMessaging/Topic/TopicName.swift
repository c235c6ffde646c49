/// The names of topics.
enum TopicName {
  /// Reads a name, with or without `/topics/` before it; throws where it has characters that names do not have.
  static func checked(_ text: String) throws -> String {
    let prefix = "/topics/"
    let name = text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : text
    let isValid = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_.~%".utf8.contains(byte)
      }
    }
    guard isValid, (1...900).contains(name.utf8.count) else {
      throw MessagingError(.invalidTopicName, "\"\(text)\" is no topic's name.")
    }
    return name
  }
}
