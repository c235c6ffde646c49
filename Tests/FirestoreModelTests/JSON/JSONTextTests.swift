import FirestoreModel
import Foundation
import Testing

@Suite struct JSONTextTests {
  @Test func `a document is written as it was read`() throws {
    let text = #"{"a":[1,-2.50,1e9,true,false,null,[],{}],"é\"\\":"\n\t\r\u0000\u001f/😀","":""}"#
    #expect(try JSONText(parsing: text).compact == text)
    #expect(try JSONText(parsing: try JSONText(parsing: text).printed()).compact == text)
  }

  @Test func `every character is read back, by Foundation too`() throws {
    for first in stride(from: 0, through: 0x10FFFF, by: 0x1001).lazy.map(UInt32.init) {
      let scalars = (first..<first + 160).compactMap(Unicode.Scalar.init)
      let text = String(String.UnicodeScalarView(scalars))
      let written = JSONText.array([.string(text)]).compactBytes
      let read = try JSONText(parsing: String(decoding: written, as: UTF8.self))
      #expect(read == .array([.string(text)]))
      let list = try JSONSerialization.jsonObject(with: Data(written)) as? [String]
      #expect(list?.first.map { Array($0.utf8) } == Array(text.utf8))
    }
  }
}
