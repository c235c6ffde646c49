import ExampleTesting
import Firebase
import Foundation
import Testing

/// The guide to Codable, listing by listing, against the sample data of its example.
@MainActor @Suite(.serialized, .timeLimit(.minutes(10))) struct `The guide's Swift` {
  @Test func `a book is encoded to JSON and back`() throws {
    let book = Guide.PlainBook(
      title: "The Hitchhiker's Guide to the Galaxy",
      numberOfPages: 816,
      author: "Douglas Adams"
    )
    let encoder = JSONEncoder()
    let data = try encoder.encode(book)
    let decoder = JSONDecoder()
    let decodedBook = try decoder.decode(Guide.PlainBook.self, from: data)
    #expect(decodedBook.title == book.title && decodedBook.numberOfPages == 816)
  }

  @Test func `books are fetched by hand and as types, changed and added`() async throws {
    try await Self.run { db in
      let guide = Guide.MappingSimpleTypesViewModel()
      guide.fetchBookByHand(documentId: "hitchhiker")
      #expect(await eventually { guide.book.numberOfPages == 816 })
      #expect(guide.book.id == "hitchhiker" && guide.book.author == "Douglas Adams")
      guide.book = .empty
      guide.fetchBookAsType(documentId: "hitchhiker")
      #expect(await eventually { guide.book.id == "hitchhiker" })
      guide.book = .empty
      guide.fetchAndMap()
      #expect(await eventually { guide.book.id == "hitchhiker" })
      guide.book.numberOfPages = 42
      guide.updateBook(book: guide.book)
      try await db.waitForPendingWrites()
      let stored = try await db.document("books/hitchhiker").getDocument(source: .server)
      #expect(stored.data()?["numberOfPages"] as? Int == 42)
      #expect(stored.data()?["id"] == nil)
      // The document's own id is none of its fields, and the new document has one of its own.
      guide.book.title = "So Long"
      guide.addBook(book: guide.book)
      try await db.waitForPendingWrites()
      let found = try await db.collection("books").whereField("title", isEqualTo: "So Long")
        .getDocuments(source: .server)
      #expect(found.count == 1)
      let added = try #require(found.documents.first)
      #expect(added.documentID != "hitchhiker")
      #expect(Set(added.data().keys) == ["title", "numberOfPages", "author"])
    }
  }

  @Test func `documents that are missing or wrong are told apart`() async throws {
    try await Self.run { _ in
      let guide = Guide.MappingSimpleTypesViewModel()
      guide.fetchAndMapNonExisting()
      #expect(await eventually { guide.errorMessage != nil })
      let missing = try #require(guide.errorMessage)
      guide.errorMessage = nil
      guide.fetchAndTryMappingInvalidData()
      #expect(await eventually { guide.errorMessage != nil })
      let words = ": Cannot get keyed decoding container -- found null value instead."
      #expect(missing.hasSuffix(words))
      #expect(guide.errorMessage?.contains(": Expected to decode Int but found ") == true)
      #expect(guide.book.id == nil)
      guide.errorMessage = nil
      guide.fetchBookAsResult(documentId: "invalid-data")
      #expect(await eventually { guide.errorMessage != nil })
      #expect(guide.errorMessage?.hasPrefix("Error decoding document: ") == true)
      guide.fetchBookAsResult(documentId: "hitchhiker")
      #expect(await eventually { guide.errorMessage == nil })
      #expect(guide.book.id == "hitchhiker")
    }
  }

  @Test func `nested types, arrays, tags and colours keep their values`() async throws {
    try await Self.run { db in
      let books = db.collection("books")
      let covers = try await books.document("hitchhiker-image-urls")
        .getDocument(as: Guide.BookWithCoverImages.self)
      #expect(
        covers.cover?.small.absoluteString == "https://covers.example.org/hitchhiker-small.jpg"
      )
      // An address is stored as a text, and an optional without a value not at all.
      var copy = covers
      try books.document("copy").setData(from: copy)
      let cover = try await books.document("copy").getDocument().data()?["cover"] as? [String: Any]
      #expect(cover?["small"] as? String == covers.cover?.small.absoluteString)
      copy.cover = nil
      try books.document("copy").setData(from: copy)
      #expect(try await books.document("copy").getDocument().data()?["cover"] == nil)
      let genre = try await books.document("hitchhiker-genre")
        .getDocument(as: Guide.BookWithGenre.self)
      #expect(genre.genres == ["Sci-Fi", "Comedy"])
      let tag = Guide.Tag(title: "Novel", color: Guide.Color(hex: "#f05138"))
      let book = Guide.BookWithTags(title: "x", numberOfPages: 1, author: "y", tags: [tag])
      try books.document("tags").setData(from: book)
      let asTexts = try await books.document("tags")
        .getDocument(as: Guide.PlainTags.BookWithTags.self)
      #expect(asTexts.tags.map(\.color) == ["#f05138ff"])
      let asColors = try await books.document("tags").getDocument(as: Guide.BookWithTags.self)
      #expect(asColors.tags == [tag] && asColors.id == "tags")
    }
  }

  @Test func `dates, points, enums, renamed fields and nulls keep their values`() async throws {
    try await Self.run { db in
      let year = Date(timeIntervalSince1970: -4_000_000_000)
      let languages = db.collection("programming-languages")
      try languages.document("ada")
        .setData(from: Guide.ProgrammingLanguage(name: "Ada", year: year))
      let ada = try await languages.document("ada").getDocument(as: Guide.ProgrammingLanguage.self)
      #expect(ada.id == "ada" && ada.year == year)
      let renamed = Guide.RenamedLanguage(name: "Swift", year: year, reasonWhyILoveThis: "types")
      try languages.document("swift").setData(from: renamed)
      let fields = try await languages.document("swift").getDocument().data() ?? [:]
      #expect(Set(fields.keys) == ["language_name", "year"])
      let swift = languages.document("swift")
      #expect(try await swift.getDocument(as: Guide.LanguageWithKeys.self).id == "swift")
      let nameless = try await swift.getDocument(as: Guide.LanguageWithoutID.self)
      #expect(nameless.id == nil && nameless.name == "Swift" && nameless.year == year)
      let office = Guide.Office(name: "Lab", location: GeoPoint(latitude: -23.5, longitude: -46.6))
      try db.document("locations/lab").setData(from: office)
      let read = try await db.document("locations/lab").getDocument(as: Guide.Office.self)
      #expect(read.location == office.location)
      let article = Guide.Article(title: "Codable", status: .inReview)
      try db.document("articles/codable").setData(from: article)
      try await db.waitForPendingWrites()
      let stored = try await db.document("articles/codable").getDocument(source: .server)
      #expect(stored.data()?["status"] as? String == "in review")
      #expect(stored.data()?["editor"] is NSNull)
      #expect(stored.data()?["createdAt"] is Timestamp)
      #expect(try stored.data(as: Guide.Article.self).createdAt != nil)
      // A time that is there stays as it is.
      var old = article
      old.createdAt = year
      try db.document("articles/codable").setData(from: old)
      try await db.waitForPendingWrites()
      let kept = try await db.document("articles/codable").getDocument(source: .server)
      #expect(try kept.data(as: Guide.Article.self).createdAt == year)
      // Without a raw value of its own a case is stored under its name.
      try db.document("articles/plain").setData(from: ["status": Guide.PlainStatus.inReview])
      let plain = try await db.document("articles/plain").getDocument()
      #expect(plain.data()?["status"] as? String == "inReview")
    }
  }

  @Test func `a live list of colours says which entry is wrong and grows by itself`() async throws {
    try await Self.run { db in
      let guide = Guide.MappingColorsViewModel()
      guide.subscribe()
      #expect(await eventually { guide.colorEntries.contains { $0.name == "Cerise" } })
      let count = guide.colorEntries.count
      guide.newColor = Guide.ColorEntry(name: "Ash", color: Guide.Color(hex: "#a0a0a080"))
      guide.addColorEntry()
      #expect(await eventually { guide.colorEntries.count == count + 1 })
      try await db.document("colors/zzz").setData(["name": 1])
      #expect(await eventually { guide.errorMessage != nil })
      #expect(guide.colorEntries.count == count + 1)
      guide.unsubscribe()
      guide.unsubscribe()
    }
  }

  /// Runs a part of the guide as somebody who signed in without a name.
  private static func run(
    _ body: @MainActor @Sendable (Firestore) async throws -> Void
  ) async throws {
    try await BookServer.run { server in
      let example = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "CodableGuide")
      try await server.importDocuments(of: "codable-guide", in: example.appending(path: "Data"))
      let rules = example.appending(path: "firestore.rules").path
      try await server.run("rules", "deploy", rules)
      try await server.administer(
        .patch,
        "config?updateMask=signIn.anonymous.enabled",
        #"{"signIn":{"anonymous":{"enabled":true}}}"#
      )
      FirebaseApp.configure(options: server.options)
      _ = try await Auth.auth().signInAnonymously()
      try await body(Firestore.firestore())
    }
  }
}

extension BookServer {
  /// Imports an example's documents into the book's project.
  fileprivate func importDocuments(of project: String, in data: URL) async throws {
    let copy = folder.file("data")
    try FileManager.default.createDirectory(at: copy, withIntermediateDirectories: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: data.path) {
      let text = try String(contentsOf: data.appending(path: name), encoding: .utf8)
      let renamed = text.replacing("projects/\(project)/", with: "projects/\(Self.project)/")
      try Data(renamed.utf8).write(to: copy.appending(path: name))
    }
    try await run("import", copy.path)
  }
}
