import Testing

@testable import StorageWire

/// The little XML that the protocols of storage have.
struct XMLTests {
  @Test func `what was written is read again`() throws {
    let element = XMLElement(
      "List",
      [
        XMLElement("Name", "a<b>&\"'\r\n\t ç😀"), XMLElement("Empty"),
        XMLElement("Item", [XMLElement("Key", "1")]), XMLElement("Item", [XMLElement("Key", "2")]),
      ]
    )
    let text = element.document(namespace: "http://s3.amazonaws.com/doc/2006-03-01/")
    #expect(text.hasPrefix("<?xml version='1.0' encoding='UTF-8'?><List xmlns='http://s3"))
    let read = try XMLReader.read(Array(text.utf8))
    #expect(read == element)
    #expect(read.all("Item").compactMap { $0["Key"]?.text } == ["1", "2"])
  }

  @Test(arguments: [
    ("\u{FEFF}<?xml version=\"1.0\"?> <!-- x --> <a b='c' d=\"e\"/> ", ""),
    ("<x:a><![CDATA[<&>]]>&#65;&#x42;&apos;</x:a >", "<&>AB'"), ("<a> b <!-- c --> d</a>", " b  d"),
  ])
  func `documents of others are read`(text: String, expected: String) throws {
    #expect(try XMLReader.read(Array(text.utf8)) == XMLElement("a", expected))
  }

  @Test(arguments: [
    "", "<a>", "<a></b>", "<a/><b/>", "a", "<a b/>", "<a b='<'/>", "<a>&lol;</a>", "<a>&#0;</a>",
    "<!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", "<a><![CDATA[</a>", "<a>&amp</a>", "<a b=c/>",
    "< a/>",
    "<a>\u{0}</a", "<a><!-- </a>",
  ])
  func `what is no document is refused`(text: String) {
    #expect(throws: XMLReader.Problem.self) { try XMLReader.read(Array(text.utf8)) }
  }

  @Test func `depth and number of elements are bounded`() {
    let deep = String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17)
    #expect(throws: XMLReader.Problem.tooDeep) { try XMLReader.read(Array(deep.utf8)) }
    let many = "<a>" + String(repeating: "<b/>", count: 100_000) + "</a>"
    #expect(throws: XMLReader.Problem.tooLarge) { try XMLReader.read(Array(many.utf8)) }
  }
}
