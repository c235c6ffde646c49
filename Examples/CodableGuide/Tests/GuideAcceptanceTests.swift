import CodableGuideCore
import ExampleTesting
import FirebaseFirestore
import Foundation
import Testing

/// The acceptance list 7e, by the app's view models against a real server with its rules.
@MainActor @Suite(.serialized) struct `Codable guide 7e` {
  private func simple(_ guide: GuideViewModel) throws -> BookViewModel<Book> {
    guide.open(.simple)
    guard case .simple(let model) = guide.screen else { throw WrongScreen() }
    return model
  }

  @Test func `7e.1 errors have distinct texts, and a good fetch clears them`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let guide = try await test.guide()
    let model = try simple(guide)
    await model.fetch("does-not-exist")
    let missing = try #require(model.error)
    #expect(missing.kind == .valueNotFound && model.book.title.isEmpty)
    await model.fetch("invalid-data")
    let invalid = try #require(model.error)
    #expect(invalid.kind == .typeMismatch && invalid.text != missing.text)
    #expect(invalid.detail.contains("numberOfPages"))
    await model.fetch()
    #expect(model.error == nil && model.book.id == "hitchhiker")
    #expect(model.book.title == "The Hitchhiker's Guide to the Galaxy")
    #expect(model.book.numberOfPages == 816 && model.book.author == "Douglas Adams")
  }

  @Test func `an entry chosen before somebody is signed in opens then`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let guide = GuideViewModel(try test.app())
    guide.open(.manual)
    guide.open(.simple)
    #expect(guide.screen == nil)
    await guide.start()
    guard case .simple = guide.screen else { throw WrongScreen() }
    #expect(guide.entry == .simple)
  }

  @Test func `7e.1 by hand there is no error, only what is not true`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let guide = try await test.guide()
    guide.open(.manual)
    guard case .manual(let model) = guide.screen else { throw WrongScreen() }
    await model.fetch("invalid-data")
    #expect(model.error == nil && model.book.numberOfPages == 0 && !model.book.title.isEmpty)
    await model.fetch("does-not-exist")
    #expect(model.error == nil && model.book.title.isEmpty)
    await model.fetch("hitchhiker")
    #expect(model.book.numberOfPages == 816)
  }

  @Test func `7e.2 update then fetch returns the change, add makes a new id`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let guide = try await test.guide()
    let model = try simple(guide)
    await model.fetch()
    model.book.numberOfPages = 42
    model.update()
    await model.fetch()
    #expect(model.book.numberOfPages == 42 && model.error == nil)
    model.add()
    let added = try #require(model.book.id)
    #expect(added != "hitchhiker")
    try await test.settle(guide)
    let other = try simple(try await test.guide())
    await other.fetch()
    #expect(other.book.numberOfPages == 42)
    await other.fetch(added)
    #expect(other.book.id == added && other.book.numberOfPages == 42 && model.error == nil)
  }

  @Test func `7e.2 an update leaves alone what this kind of book does not know`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let guide = try await test.guide()
    let model = try simple(guide)
    await model.fetch()
    model.book.author = "D. Adams"
    model.update()
    let stored = try await test.document("books/hitchhiker", as: guide)
    #expect(stored["author"] as? String == "D. Adams")
    #expect(stored["publisher"] as? String == "Pan Books" && stored["id"] == nil)
  }

  @Test func `7e.3 a colour appears at once and in a second client`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let guide = try await test.guide()
    let (mine, theirs) = (try colors(guide), try colors(try await test.guide()))
    try await until { mine.list.elements?.count == 2 && !mine.list.isFromCache }
    mine.draft.name = "Half of red"
    mine.draft.color = HexColor(red: 255, green: 0, blue: 0, alpha: 0x80)
    mine.add()
    #expect(mine.draft.name.isEmpty)
    try await until { mine.list.elements?.map(\.name).contains("Half of red") == true }
    try await until { theirs.list.elements?.count == 3 }
    #expect(theirs.list.elements?.map(\.color.text) == ["#f05138", "#d52c67", "#ff000080"])
  }

  @Test func `7e.3 an article and a language reach a second client too`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let guide = try await test.guide()
    let other = try await test.guide()
    let (articles, theirArticles) = (try articles(guide), try articles(other))
    articles.draft.title = "An article of mine"
    articles.draft.status = .inReview
    articles.add()
    try await until { theirArticles.list.elements?.count == 5 }
    let (languages, theirLanguages) = (try languages(guide), try languages(other))
    languages.draft.name = "Zig"
    languages.yearText = "2016"
    languages.draft.reasonWhyILoveThis = "It is small"
    languages.add()
    try await until { theirLanguages.list.elements?.count == 4 }
    let zig = try #require(theirLanguages.list.elements?.last)
    #expect(zig.name == "Zig" && zig.releaseYear == 2016 && zig.reasonWhyILoveThis.isEmpty)
  }

  @Test func `7e.3 what is added without a connection shows at once and is sent later`()
    async throws
  {
    let test = try await TestGuide()
    defer { test.end() }
    let guide = try await test.guide()
    let mine = try colors(guide)
    try await until { mine.list.elements?.count == 2 && !mine.list.isFromCache }
    test.brasa.stop()
    try await until { mine.list.isFromCache }
    mine.draft.name = "Offline"
    mine.add()
    try await until { mine.list.elements?.count == 3 && mine.list.error == nil }
    try test.brasa.start()
    let theirs = try colors(try await test.guide())
    try await until { theirs.list.elements?.map(\.name).contains("Offline") == true }
    try await until { !mine.list.isFromCache }
  }

  @Test func `7e.4 Ada is left out with an error while the three others show`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let guide = try await test.guide()
    let model = try languages(guide)
    try await until { model.list.elements != nil && !model.list.isFromCache }
    #expect(model.list.elements?.map(\.name) == ["BASIC", "Swift", "TypeScript"])
    #expect(model.list.elements?.map(\.releaseYear) == [1964, 2014, 2012])
    #expect(model.list.skipped.map(\.id) == ["ada"])
    #expect(model.list.skipped.first?.error.kind == .keyNotFound)
    #expect(model.list.skipped.first?.error.text.contains("language_name") == true)
  }

  @Test func `7e.5 inReview is stored as in review, a colour as the same hex`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let guide = try await test.guide()
    let model = try articles(guide)
    model.draft.status = .inReview
    model.draft.title = "Mine"
    model.add()
    try await until { model.list.elements?.map(\.title).contains("Mine") == true }
    let article = try #require(model.list.elements?.first { $0.title == "Mine" }?.id)
    let stored = try await test.document("articles/\(article)", as: guide)
    #expect(stored["status"] as? String == "in review")
    let colors = try colors(guide)
    try await until { colors.list.elements?.count == 2 }
    colors.draft = try #require(colors.list.elements?.first)
    colors.add()
    try await until { colors.list.elements?.count == 3 }
    let copies = colors.list.elements?.filter { $0.name == "Carmine Pink" }.compactMap(\.id)
    for copy in try #require(copies) {
      let stored = try await test.document("colors/\(copy)", as: guide)
      #expect(stored["color"] as? String == "#f05138")
    }
  }
}

/// The rest of the guide: custom types, server timestamps, explicit null, rules.
@MainActor @Suite(.serialized) struct `Codable guide` {
  @Test func `covers, genres and tags are read, and missing covers are nil`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let guide = try await test.guide()
    guide.open(.custom)
    guard case .custom(let covers) = guide.screen else { throw WrongScreen() }
    await covers.fetch()
    #expect(covers.book.cover?.small.lastPathComponent == "hitchhiker-small.jpg")
    await covers.fetch("hitchhiker")
    #expect(covers.book.cover == nil && covers.error == nil)
    guide.open(.arrays)
    guard case .arrays(let genres) = guide.screen else { throw WrongScreen() }
    await genres.fetch()
    genres.addGenre()
    genres.addGenre()
    #expect(genres.book.genres == ["Sci-Fi", "Comedy", "Fiction"])
    guide.open(.nested)
    guard case .nested(let tags) = guide.screen else { throw WrongScreen() }
    await tags.fetch()
    tags.addTag()
    tags.update()
    await tags.fetch()
    #expect(tags.book.tags.map(\.color.text) == ["#ffd60a", "#0a84ff", "#30d158cc"])
  }

  @Test func `a visit has the server's time and an explicit null, and need not exist`() async throws
  {
    let test = try await TestGuide()
    defer { test.end() }
    let guide = try await test.guide()
    let model = try languages(guide)
    try await until { model.list.elements != nil }
    #expect(model.visit == nil && model.visitError == nil)
    model.noteVisit(remark: "")
    try await until { model.visit?.time != nil }
    let person = try #require(guide.person)
    let stored = try await test.document("visits/\(person)", as: guide)
    #expect(stored["remark"] is NSNull && stored["time"] is Timestamp)
    model.noteVisit(remark: "Hello")
    try await until { model.visit?.remark == "Hello" && model.visit?.time != nil }
  }

  @Test func `a visit is its person's own, and nothing is deleted`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let (guide, other) = (try await test.guide(), try await test.guide())
    let person = try #require(other.person)
    let denied = await test.refusal { _ = try await test.document("visits/\(person)", as: guide) }
    #expect(denied == .permissionDenied)
    let database = test.database(of: guide)
    let kept = await test.refusal { try await database.document("colors/cerise").delete() }
    #expect(kept == .permissionDenied)
  }

  @Test func `a form without a name or a year stores nothing`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let model = try languages(try await test.guide())
    try await until { model.list.elements?.count == 3 }
    model.add()
    #expect(model.formError != nil)
    model.draft.name = "Zig"
    for year in ["", "0", "10000", "MMXVI"] {
      model.yearText = year
      model.add()
      #expect(model.formError != nil && model.list.elements?.count == 3)
    }
  }

  @Test func `without a server nobody is signed in, and a second try works`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    test.brasa.stop()
    let guide = try await test.guide()
    #expect(guide.person == nil && guide.error?.kind == .other)
    guide.open(.colors)
    #expect(guide.screen == nil)
    try test.brasa.start()
    await guide.start()
    #expect(guide.person != nil && guide.error == nil)
  }

  @Test func `a list whose listener has ended is followed again when asked`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let model = try colors(try await test.guide())
    try await until { model.list.elements?.count == 2 && !model.list.isFromCache }
    try test.closeRules()
    try await until { model.list.stopped != nil }
    #expect(model.list.elements?.count == 2 && model.list.error == nil)
    // While the rules refuse it, it ends again and says so.
    model.list.tryAgain()
    try await until { model.list.stopped != nil }
    try test.deployRules()
    model.list.tryAgain()
    try await until { model.list.stopped == nil && !model.list.isFromCache }
    model.draft.name = "Added afterwards"
    model.add()
    let other = try colors(try await test.guide())
    try await until { other.list.elements?.count == 3 && model.list.elements?.count == 3 }
  }

  @Test func `a visit whose listener has ended is followed again with its list`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let model = try languages(try await test.guide())
    model.noteVisit(remark: "Before")
    try await until { model.visit?.time != nil && model.list.elements?.count == 3 }
    try test.closeRules()
    try await until { model.list.stopped != nil && model.visitStopped != nil }
    #expect(model.visit?.remark == "Before" && model.visitError == nil)
    try test.deployRules()
    model.tryAgain()
    #expect(model.list.stopped == nil && model.visitStopped == nil)
    model.noteVisit(remark: "After")
    try await until { model.visit?.remark == "After" && model.visit?.time != nil }
    #expect(model.list.elements?.count == 3)
  }

  @Test func `offices are rows and pins, and a tap moves the map`() async throws {
    let test = try await TestGuide()
    defer { test.end() }
    let guide = try await test.guide()
    guide.open(.locations)
    guard case .locations(let model) = guide.screen else { throw WrongScreen() }
    try await until { model.offices.count == 5 }
    #expect(model.offices.allSatisfy { model.frame.position(of: $0.location) != nil })
    model.choose("hamburg")
    #expect(model.frame.span == 0.005)
    let visible = model.offices.filter { model.frame.position(of: $0.location) != nil }
    #expect(visible.map(\.name) == ["Hamburg"])
    model.choose(nil)
    #expect(model.frame == MapFrame(fitting: model.offices.map(\.location)))
  }
}

@MainActor
private func colors(_ guide: GuideViewModel) throws -> ColorsViewModel {
  guide.open(.colors)
  guard case .colors(let model) = guide.screen else { throw WrongScreen() }
  return model
}

@MainActor
private func articles(_ guide: GuideViewModel) throws -> ArticlesViewModel {
  guide.open(.enums)
  guard case .articles(let model) = guide.screen else { throw WrongScreen() }
  return model
}

@MainActor
private func languages(_ guide: GuideViewModel) throws -> LanguagesViewModel {
  guide.open(.mapping)
  guard case .languages(let model) = guide.screen else { throw WrongScreen() }
  return model
}

struct WrongScreen: Error {}
