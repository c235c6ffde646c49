import FirebaseCore

/// The names of topics.
enum TopicName {
  private static let prefix = "/topics/"

  /// Returns the warning to log for a name with the prefix that names had once; nil for others.
  static func warning(for text: String) -> String? {
    guard text.hasPrefix(prefix) else { return nil }
    return "Format '\(text)' is deprecated. Only '\(text.dropFirst(prefix.count))' should be used."
  }

  /// Reads a name, with or without `/topics/` before it; throws where it has characters that names do not have.
  static func checked(_ text: String) throws -> String {
    if let warning = warning(for: text) {
      FirebaseLog.write(.warning, "FirebaseMessaging", "I-FCM002010", warning)
    }
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
      throw MessagingError.error(.invalidTopicName, "\"\(text)\" is not a valid topic name.")
    }
    return name
  }
}
