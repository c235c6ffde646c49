import BaseJSON
import BaseStatus
import Foundation
import Testing

@Suite struct JSONValueTests {
  @Test func `a document is written as it was read`() throws {
    let text = #"{"a":[1,-2.50,1e9,true,false,null,[],{}],"é\"\\":"\n\t\r\u0000\u001f/😀","":""}"#
    #expect(try JSONValue(parsing: text).compact == text)
    #expect(try JSONValue(parsing: try JSONValue(parsing: text).printed()).compact == text)
  }

  @Test(arguments: [
    ("// Example:\n{\"a\":1}", "           \n{\"a\":1}"),
    ("{\n // isn't \"one\"\n \"a\":1 // no\n}", "{\n               \n \"a\":1      \n}"),
    ("/* a\n b */{\"a\":/**/1}", "    \n     {\"a\":    1}"),
    ("\u{FEFF}{\"a\":1}", "   {\"a\":1}"),
    (#"{"a":"u//v","b":"\"/*","c":"\\"}//"#, #"{"a":"u//v","b":"\"/*","c":"\\"}  "#),
    (#"{"a":1} // "text"#, #"{"a":1}         "#),
  ])
  func `comments of a file become spaces`(text: String, expected: String) throws {
    let read = JSONValue.withoutComments(text)
    #expect(read == expected)
    _ = try JSONValue(parsing: read)
  }

  @Test(arguments: ["/* no end", "{\"a\":1}/", "{\"a\":1/}", "\"no end // \\", "/", "/*/"])
  func `what is no comment stays`(text: String) {
    #expect(JSONValue.withoutComments(text) == text)
    #expect(throws: ServiceError.self) {
      try JSONValue(parsing: JSONValue.withoutComments(text))
    }
  }

  @Test func `every character is read back, by Foundation too`() throws {
    for first in stride(from: 0, through: 0x10FFFF, by: 0x1001).lazy.map(UInt32.init) {
      let scalars = (first..<first + 160).compactMap(Unicode.Scalar.init)
      let text = String(String.UnicodeScalarView(scalars))
      let written = JSONValue.array([.string(text)]).compactBytes
      let read = try JSONValue(parsing: String(decoding: written, as: UTF8.self))
      #expect(read == .array([.string(text)]))
      let list = try JSONSerialization.jsonObject(with: Data(written)) as? [String]
      #expect(list?.first.map { Array($0.utf8) } == Array(text.utf8))
    }
  }
}
