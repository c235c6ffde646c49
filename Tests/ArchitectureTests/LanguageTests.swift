import Foundation
import Testing

/// The counts of our language, each with a limit that only falls: a change that lowers a count lowers its limit too.
struct LanguageTests {
  private let tree = SourceTree()
  /// Relatives that open a comment of a foreign-sounding kind: "What a client sends" for "A client's request".
  private static let relatives: Set<Substring> = [
    "What", "Who", "Whose", "Whoever", "Whether", "How", "Where", "Nobody", "Of",
  ]

  @Test func `doc comments open with the thing that they are about`() throws {
    var (comments, relative) = (0, 0)
    for file in try sources() {
      var isInComment = false
      for line in try lines(of: file) {
        let text = line.drop { $0 == " " }
        defer { isInComment = text.hasPrefix("///") }
        guard text.hasPrefix("///"), !isInComment else { continue }
        comments += 1
        let first = text.dropFirst(3).drop { $0 == " " }.prefix { $0.isLetter }
        if Self.relatives.contains(first) { relative += 1 }
      }
    }
    check(relative, of: comments, atMost: 0.1, "doc comments that open with a relative")
  }

  @Test func `package and public symbols have a doc comment`() throws {
    var undocumented: [String] = []
    for file in try sources() {
      let lines = try lines(of: file)
      for (index, line) in lines.enumerated() where Self.declares(line) {
        let isDocumented = Self.isDocumented(lines[..<index])
        if !isDocumented { undocumented.append("\(file):\(index + 1)") }
      }
    }
    let most = 0
    let some = undocumented.prefix(20).joined(separator: "\n")
    #expect(undocumented.count <= most, "\(undocumented.count) symbols have none:\n\(some)")
  }

  @Test func `sentences of the documentation are short enough to be read once`() throws {
    let all = try sentences()
    let long = all.count { $0.split(separator: " ").count > 35 }
    check(long, of: all.count, atMost: 1.0, "sentences of more than 35 words")
  }

  @Test func `sentences of the documentation begin with their subject`() throws {
    let all = try sentences()
    let relative = all.count { sentence in
      Self.relatives.subtracting(["How"]).contains(Self.words(of: sentence).first ?? "")
    }
    check(relative, of: all.count, atMost: 0.5, "sentences that open with a relative")
  }

  @Test func `the documentation names things instead of circling around them`() throws {
    let words = try sentences().flatMap(Self.words)
    let circling: Set<String> = ["what", "who", "whose", "whoever"]
    let count = words.count { circling.contains($0.lowercased()) }
    check(count, of: words.count, atMost: 0.3, "what, who and whose")
  }

  /// Records an issue where a share is over its limit, or so far below that the limit must fall.
  private func check(_ count: Int, of all: Int, atMost limit: Double, _ name: String) {
    let share = 100 * Double(count) / Double(max(all, 1))
    #expect(all > 500)
    #expect(share <= limit, "\(count) of \(all) are \(name)")
    #expect(share > limit - 1, "only \(share) % are \(name): lower the limit")
  }

  /// Our Swift files without those that a generator wrote.
  private func sources() throws -> [String] {
    try tree.files(below: "Sources").filter { !$0.contains("/Generated/") }
  }

  private func lines(of file: String) throws -> [Substring] {
    try tree.text(of: file).split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The sentences of the English pages.
  private func sentences() throws -> [String] {
    let folders = ["docs", "docs/guide"]
    let pages =
      try ["README.md"]
      + folders.flatMap { folder in
        let path = tree.root.appendingPathComponent(folder).path
        return try FileManager.default.contentsOfDirectory(atPath: path)
          .filter { $0.hasSuffix(".md") && !$0.hasSuffix(".pt-BR.md") }.sorted()
          .map { "\(folder)/\($0)" }
      }
    return try pages.flatMap { Self.sentences(in: try tree.text(of: $0)) }
      .filter { $0.split(separator: " ").count > 2 }
  }

  /// The words of a sentence, without marks around them.
  private static func words(of sentence: String) -> [Substring] {
    sentence.split { !$0.isLetter && !$0.isNumber }
  }

  /// True where the lines above a symbol end with a doc comment, attributes apart.
  private static func isDocumented(_ above: ArraySlice<Substring>) -> Bool {
    var isInAttribute = false
    for line in above.reversed() {
      let text = line.drop { $0 == " " }
      if text.hasPrefix("@") {
        isInAttribute = false
      } else if text == ")" {
        isInAttribute = true
      } else if !isInAttribute {
        return text.hasPrefix("///") || text.hasSuffix("*/")
      }
    }
    return false
  }

  /// True for a line that declares a symbol that other targets see.
  private static func declares(_ line: Substring) -> Bool {
    var words = line.split(separator: " ")[...]
    while let word = words.first, word.hasPrefix("@") { words.removeFirst() }
    guard let access = words.popFirst(), access.hasPrefix("package") || access.hasPrefix("public")
    else { return false }
    let kinds: Set<Substring> = [
      "let", "var", "func", "struct", "class", "enum", "protocol", "typealias", "actor",
    ]
    let modifiers: Set<Substring> = [
      "static", "final", "mutating", "nonisolated", "convenience", "override", "indirect",
      "required", "weak", "lazy",
    ]
    while let word = words.first, modifiers.contains(word) || word.hasSuffix("(set)") {
      words.removeFirst()
    }
    guard let kind = words.first else { return false }
    return kinds.contains(kind) || kind.hasPrefix("init") || kind.hasPrefix("subscript")
  }

  /// The sentences of a page's prose: without code, tables and headings.
  private static func sentences(in page: String) -> [String] {
    var (paragraphs, isInCode) = ([""], false)
    for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
      let text = line.trimmingCharacters(in: .whitespaces)
      if text.hasPrefix("```") { isInCode.toggle() }
      if isInCode || text.hasPrefix("```") || text.hasPrefix("|") || text.hasPrefix("#") {
        continue
      }
      if text.isEmpty || text.hasPrefix("- ") { paragraphs.append("") }
      paragraphs[paragraphs.count - 1] += text + " "
    }
    return paragraphs.flatMap { paragraph in
      var (sentences, sentence) = ([String](), [Substring]())
      for word in paragraph.split(separator: " ") {
        sentence.append(word)
        if let last = word.last, ".!?:".contains(last) {
          sentences.append(sentence.joined(separator: " "))
          sentence = []
        }
      }
      return sentences + [sentence.joined(separator: " ")]
    }
  }
}
