import FirebaseFirestore
import Foundation
import Testing

/// The Codable guide's samples: as the pages have them, and against a server.
@Suite struct GuideTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()

  @Test(arguments: ["CodableGuide", "GuiaCodable"])
  func `a page's samples are the code that runs here`(page: String) throws {
    let root = Self.folder.deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let catalogue = "Sources/SDK/FirebaseFirestore/FirebaseFirestore.docc"
    let text = try String(
      contentsOf: root.appendingPathComponent("\(catalogue)/\(page).md"),
      encoding: .utf8
    )
    let blocks = text.matches(of: #/(?ms)^```swift\n(.*?)^```$/#).map { String($0.1) }
    let code = blocks.joined(separator: "\n").replacing("import FirebaseFirestore\n\n", with: "")
    let samples = try String(
      contentsOf: Self.folder.appendingPathComponent("GuideSamples.swift"),
      encoding: .utf8
    )
    #expect(blocks.count == 13 && samples.hasSuffix("\n\n\(code)"))
  }

  @Test func `books are fetched, changed and added`() async throws {
    let fixture = try LiveFixture()
    let books = fixture.firestore.collection("books")
    let fields: [String: Any] = [
      "title": "The Hitchhiker's Guide", "numberOfPages": 816, "author": "Douglas Adams",
      "publisher": "Pan Books",
    ]
    try await books.document("hitchhiker").setData(fields)
    try await books.document("invalid").setData(fields.merging(["numberOfPages": "many"]) { $1 })
    var book = try await fetch("hitchhiker", from: books)
    #expect(book.id == "hitchhiker" && book.numberOfPages == 816)
    book.numberOfPages = 42
    try update(book, in: books)
    let added = try add(book, to: books)
    try await fixture.firestore.waitForPendingWrites()
    let stored = try await books.document("hitchhiker").getDocument(source: .server).data()
    #expect(stored?["numberOfPages"] as? Int == 42 && stored?["publisher"] != nil)
    #expect(stored?["id"] == nil)
    #expect(try await fetch(added.documentID, from: books).id == added.documentID)
    #expect(try await titleByHand(of: books.document("invalid")) == book.title)
  }

  @Test func `errors are told apart, and a missing document can be nil`() async throws {
    let fixture = try LiveFixture()
    let books = fixture.firestore.collection("books")
    try await books.document("type").setData(["title": "T", "numberOfPages": "1", "author": "A"])
    try await books.document("key").setData(["title": "T", "numberOfPages": 1])
    #expect(try await fetchIfThere("missing", from: books) == nil)
    var texts: [String] = []
    for id in ["missing", "type", "key"] {
      do {
        _ = try await fetch(id, from: books)
        Issue.record("\(id) is no book")
      } catch {
        texts.append(describe(error))
      }
    }
    #expect(texts[0].hasPrefix("No value: ") && texts[1].hasPrefix("Another type: "))
    #expect(texts[2] == "No field author")
  }

  @Test func `nested values, places and statuses come back as they were`() throws {
    let document = try LiveFixture().firestore.document("any/document")
    let fields: [String: Any] = [
      "title": "T", "genres": ["Comedy"], "tags": [["title": "fun", "color": "#FFD60a80"]],
      "cover": ["small": "https://a.example/s.jpg", "large": "https://a.example/l.jpg"],
    ]
    let book = try Firestore.Decoder().decode(RichBook.self, from: fields, in: document)
    let again = try Firestore.Encoder().encode(book)
    let tags = try #require(again["tags"] as? [[String: Any]])
    #expect(tags.first?["color"] as? String == "#ffd60a80")
    #expect((again["cover"] as? [String: Any])?["large"] as? String == "https://a.example/l.jpg")
    let office = ["name": "N", "location": GeoPoint(latitude: 1, longitude: 2)] as [String: Any]
    let place = try Firestore.Decoder().decode(Office.self, from: office, in: document).location
    #expect(place == GeoPoint(latitude: 1, longitude: 2))
    let article = try Firestore.Encoder().encode(Article(title: "T", status: .inReview))
    #expect(article["status"] as? String == "in review")
  }

  @Test(arguments: ["red", "#f0513", "#f051380", "#ggffff"])
  func `a text that is no colour is an error`(text: String) {
    #expect(throws: DecodingError.self) {
      try Firestore.Decoder().decode(Tag.self, from: ["title": "", "color": text])
    }
  }

  @Test func `the server sets a visit's time, and nil is stored as null`() async throws {
    let fixture = try LiveFixture()
    let document = fixture.firestore.document("visits/ana")
    try document.setData(from: Visit(time: nil, remark: nil))
    try await fixture.firestore.waitForPendingWrites()
    let stored = try await document.getDocument(source: .server)
    #expect(stored.data()?["remark"] is NSNull)
    #expect(try stored.data(as: Visit.self).time != nil)
  }

  @Test func `a listener shows the good documents and names the bad ones`() async throws {
    let fixture = try LiveFixture()
    let collection = fixture.firestore.collection("programming-languages")
    let year = Timestamp(seconds: 0, nanoseconds: 0)
    try await collection.document("ada").setData(["name": "Ada", "year": year])
    try await collection.document("swift").setData(["language_name": "Swift", "year": year])
    let shown = Recorder<[String]>()
    let listener = follow(collection) { good, bad in shown.record(good.map(\.name) + bad) }
    defer { listener.remove() }
    #expect(await shown.next() == ["Swift", "ada: No field language_name"])
    let scratch = ProgrammingLanguage(name: "Scratch", year: Date(), reasonWhyILoveThis: "Cats")
    try collection.document("scratch").setData(from: scratch)
    #expect(await shown.next() == ["Scratch", "Swift", "ada: No field language_name"])
    let stored = try await collection.document("scratch").getDocument(source: .cache).data()
    #expect(stored.map { Set($0.keys) } == ["language_name", "year"])
  }
}
