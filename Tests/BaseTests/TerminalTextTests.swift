import BaseJSON
import BaseText
import Testing

struct TerminalTextTests {
  @Test(arguments: [
    ("photo.jpg", "photo.jpg"), ("ü 漢 👩‍👩‍👧", "ü 漢 👩‍👩‍👧"), ("a\tb", "a\tb"),
    ("\u{1B}[2Jgone", "\\u{1b}[2Jgone"), ("\u{9B}31m", "\\u{9b}31m"), ("a\u{7F}", "a\\u{7f}"),
    ("exe.\u{202E}gpj", "exe.\\u{202e}gpj"), ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
    ("a\u{200F}b\u{61C}", "a\\u{200f}b\\u{61c}"), ("a\u{2028}b", "a\\u{2028}b"),
    ("one\ntwo\r", "one\\ntwo\\r"), ("one\r\ntwo", "one\\r\\ntwo"),
  ])
  func `a line shows what a terminal would obey`(text: String, shown: String) {
    #expect(TerminalText.line(text) == shown)
    // What is shown already stays as it is.
    #expect(TerminalText.line(shown) == shown)
  }

  @Test func `a line of JSON means the same afterwards`() throws {
    let line = "{\"name\":\"\u{9B}x\u{202E}\\n\u{7F}\"}"
    #expect(TerminalText.json(line) == #"{"name":"\u009bx\u202e\n\u007f"}"#)
    let (before, after) = (
      try JSONValue(parsing: line), try JSONValue(parsing: TerminalText.json(line))
    )
    #expect(before["name"]?.string == after["name"]?.string)
  }

  @Test func `a file keeps its line ends and nothing else that a terminal obeys`() {
    #expect(TerminalText.lines("a\n\tb\u{1B}]0;x\u{7}\n") == "a\n\tb\\u{1b}]0;x\\u{7}\n")
  }
}
