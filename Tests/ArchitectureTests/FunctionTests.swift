import Testing

/// Functions are short enough to be read at once.
struct FunctionTests {
  private static let longest = 60
  private let tree = SourceTree()

  @Test func `no function of ours has more than 60 lines`() throws {
    var count = 0
    for file in try tree.files(below: "Sources") where !file.contains("/Generated/") {
      for function in Self.functions(in: try tree.text(of: file)) {
        count += 1
        #expect(
          function.length <= Self.longest,
          "\(file):\(function.line) has \(function.length) lines"
        )
      }
    }
    #expect(count > 1_000)
  }

  @Test func `functions and their ends are found`() {
    let text = """
      struct A {
        func short() { 1 }

        package static func long(
          of text: String
        ) -> Int {
          if true {
            return 2
          }
          return 3
        }
      }
      """
    #expect(Self.functions(in: text).map(\.line) == [4])
    #expect(Self.functions(in: text).map(\.length) == [8])
  }

  /// Each function, initialiser and subscript that takes several lines, by the form that the formatter gives it: it ends
  /// with the first brace below its first line that is indented as that line is.
  private static func functions(in text: String) -> [(line: Int, length: Int)] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let head =
      /^ *(?:@\w+(?:\([^)]*\))? )*(?:[a-z]+(?:\([a-z]+\))? )*(?:func |init\b|subscript\b).*/
    return lines.indices.compactMap { start in
      guard lines[start].contains("("), lines[start].wholeMatch(of: head) != nil else { return nil }
      let indentation = lines[start].prefix { $0 == " " }
      for end in lines.indices.dropFirst(start + 1) where !lines[end].isEmpty {
        if lines[end] == indentation + "}" { return (start + 1, end - start + 1) }
        let isContinued =
          lines[end].hasPrefix(indentation + " ") || lines[end].hasPrefix(indentation + ")")
        if !isContinued { return nil }
      }
      return nil
    }
  }
}
