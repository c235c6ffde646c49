import BaseText

/// The tokens of download URLs: any holder may read the object, even if the rules deny it.
enum DownloadToken {
  /// A random UUID.
  static func random() -> Text {
    var random = SystemRandomNumberGenerator()
    var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hexadecimal.text(bytes[$0]) }
    return Text(groups.joined(separator: "-"))
  }

  /// Returns true if a text is one of the tokens; the time it takes says nothing about where they
  /// differ.
  static func isOne(of tokens: [Text], _ text: String) -> Bool {
    let given = Array(text.utf8)
    var isFound = false
    for token in tokens {
      let known = Array(token.string.utf8)
      guard known.count == given.count, !known.isEmpty else { continue }
      var difference: UInt8 = 0
      for index in known.indices { difference |= known[index] ^ given[index] }
      if difference == 0 { isFound = true }
    }
    return isFound
  }
}
