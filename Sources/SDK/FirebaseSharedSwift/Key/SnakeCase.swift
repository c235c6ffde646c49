/// Keys in snake case and back.
enum SnakeCase {
  /// `oneTwoURL` becomes `one_two_url`; underscores at the ends stay.
  static func snake(_ key: String) -> String {
    let letters = Array(key)
    var result = ""
    for (index, letter) in letters.enumerated() {
      if letter.isUppercase, index > 0, letters[index - 1] != "_",
        !letters[index - 1].isUppercase
          || (index + 1 < letters.count && letters[index + 1].isLowercase)
      {
        result.append("_")
      }
      result.append(contentsOf: letter.lowercased())
    }
    return result
  }

  /// `one_two_url` becomes `oneTwoUrl`; underscores at the ends stay.
  static func camel(_ key: String) -> String {
    guard let first = key.firstIndex(where: { $0 != "_" }),
      let last = key.lastIndex(where: { $0 != "_" })
    else { return key }
    let words = key[first...last].split(separator: "_")
    let middle =
      words.count == 1
      ? String(words[0])
      : words[0].lowercased() + words.dropFirst().map { $0.lowercased().capitalizedWord }.joined()
    return key[..<first] + middle + key[key.index(after: last)...]
  }
}

extension String {
  fileprivate var capitalizedWord: String { prefix(1).uppercased() + dropFirst() }
}
