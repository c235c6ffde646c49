import BaseStatus
import FirestoreModel
import Testing

@testable import DocumentStore

@Suite struct ListTests {
  private func filled(_ engine: QueryFixture.Engine = .memory) throws -> QueryFixture {
    let fixture = try QueryFixture(engine)
    for number in 0..<5 {
      try fixture.write([(path("c/d\(number)"), fields(["n": .integer(Int64(4 - number))]))])
    }
    try fixture.write([
      (path("c/d1/s/x"), fields([:])), (path("c/ghost/s/x"), fields([:])),
      (path("c/ghost/s/x/deep/y"), fields([:])), (path("c/zz/t/x"), fields([:])),
      (path("e/only/below/x"), fields([:])), (path("c/d9/s/x"), fields([:])),
    ])
    try fixture.write([(path("c/d9/s/x"), nil)])
    return fixture
  }

  private func pages(
    _ fixture: QueryFixture,
    _ request: DocumentListingRequest,
    consistency: Consistency = .latest,
    slice: Int = QueryCursor.longSlice
  ) throws -> [[String]] {
    var request = request
    var pages: [[String]] = []
    repeat {
      let page = try fixture.database.list(request, consistency: consistency, slice: slice)
      pages.append(
        page.documents.map { item in
          let id = item.name.path.lastID?.string ?? ""
          if case .missing = item { return "(\(id))" }
          return id
        }
      )
      request.pageToken = page.nextPageToken
    } while !request.pageToken.isEmpty
    return pages
  }

  @Test(arguments: QueryFixture.Engine.allCases)
  func `documents are listed page by page in any order`(engine: QueryFixture.Engine) throws {
    let fixture = try filled(engine)
    var request = DocumentListingRequest(parent: .root, collectionID: "c")
    #expect(try pages(fixture, request) == [["d0", "d1", "d2", "d3", "d4"]])
    request.pageSize = 2
    #expect(try pages(fixture, request) == [["d0", "d1"], ["d2", "d3"], ["d4"]])
    request.orders = [Order(FieldPath(["n"]))]
    #expect(try pages(fixture, request) == [["d4", "d3"], ["d2", "d1"], ["d0"]])
    request.orders = [Order(FieldPath(["n"]), .descending), Order(.documentName, .descending)]
    #expect(try pages(fixture, request) == [["d0", "d1"], ["d2", "d3"], ["d4"]])
  }

  @Test(arguments: QueryFixture.Engine.allCases)
  func `missing documents are listed while something lies below them`(
    engine: QueryFixture.Engine
  ) throws {
    let fixture = try filled(engine)
    let before = try fixture.database.readTime()
    var request = DocumentListingRequest(parent: .root, collectionID: "c")
    request.showMissing = true
    let all = ["d0", "d1", "d2", "d3", "d4", "(ghost)", "(zz)"]
    #expect(try pages(fixture, request) == [all])
    request.pageSize = 3
    #expect(try pages(fixture, request).flatMap { $0 } == all)
    try fixture.write([
      (path("c/zz/t/x"), nil), (path("c/d1"), nil), (path("c/ghost"), fields([:])),
    ])
    let now = ["d0", "(d1)", "d2", "d3", "d4", "ghost"]
    #expect(try pages(fixture, request).flatMap { $0 } == now)
    #expect(try pages(fixture, request, consistency: .at(before)).flatMap { $0 } == all)
  }

  @Test(arguments: [1, 2, 3, 7])
  func `lists are the same in slices of any size, now and in the past`(slice: Int) throws {
    let fixture = try filled()
    let before = try fixture.database.readTime()
    try fixture.write((0..<40).map { (path("c/g\($0)/s/x"), fields([:])) })
    try fixture.write((0..<39).map { (path("c/g\($0)/s/x"), nil) } + [(path("c/d2"), nil)])
    for hasMissing in [true, false] {
      for size in [1, 3, 0] {
        var request = DocumentListingRequest(parent: .root, collectionID: "c")
        request.showMissing = hasMissing
        request.pageSize = size
        for consistency in [Consistency.latest, .at(before)] {
          let whole = try pages(fixture, request, consistency: consistency)
          let sliced = try pages(fixture, request, consistency: consistency, slice: slice)
          #expect(sliced == whole, "\(hasMissing) \(size)")
          #expect(whole.joined().count >= 4)
        }
      }
    }
    let ids = try fixture.database.listCollectionIDs(parent: path("c/ghost"))
    #expect(try ids.finished(slice: slice).ids == ["s"])
  }

  @Test func `directory entries without documents are gone through slice by slice`() throws {
    let fixture = try filled()
    let paths = (0..<300).map { path("e/m\($0)/s/x") }
    try fixture.write(paths.map { ($0, fields([:])) })
    try fixture.write(paths.map { ($0, nil) })
    var request = DocumentListingRequest(parent: .root, collectionID: "e")
    request.showMissing = true
    let cursor = try fixture.database.listDocuments(
      request,
      read: try fixture.database.beginRead(.latest)
    )
    var slices = 0
    while true {
      slices += 1
      if let page = try cursor.next(slice: 50) {
        #expect(page.documents.map(\.name.path) == [path("e/only")])
        break
      }
    }
    #expect(slices > 5)
  }

  @Test func `a page token belongs to its arguments`() throws {
    let fixture = try filled()
    var request = DocumentListingRequest(parent: .root, collectionID: "c")
    request.pageSize = 2
    let token = try fixture.database.list(request).nextPageToken
    request.pageToken = token
    request.orders = [Order(FieldPath(["n"]))]
    for text in [token, "x", token + "A", "$$"] {
      request.pageToken = text
      let error = #expect(throws: ServiceError.self) {
        try fixture.database.list(request)
      }
      #expect(error?.code == .invalidArgument)
    }
  }

  @Test func `malformed sizes are refused`() throws {
    let fixture = try filled()
    var request = DocumentListingRequest(parent: .root, collectionID: "c")
    request.pageSize = -1
    #expect(throws: ServiceError.self) { try fixture.database.list(request) }
  }

  @Test(arguments: QueryFixture.Engine.allCases)
  func `collection ids are those below which there are documents`(
    engine: QueryFixture.Engine
  ) throws {
    let fixture = try filled(engine)
    let database = fixture.database
    #expect(try database.listCollectionIDs(parent: .root).finished().ids == ["c", "e"])
    #expect(try database.listCollectionIDs(parent: path("c/ghost")).finished().ids == ["s"])
    #expect(try database.listCollectionIDs(parent: path("c/d9")).finished().ids == [])
    #expect(try database.listCollectionIDs(parent: path("e/only")).finished().ids == ["below"])
    let before = try database.readTime()
    try fixture.write([(path("e/only/below/x"), nil), (path("a/x"), fields([:]))])
    #expect(try database.listCollectionIDs(parent: .root).finished().ids == ["a", "c"])
    #expect(
      try database.listCollectionIDs(parent: .root, consistency: .at(before)).finished().ids == [
        "c", "e",
      ]
    )
    let first = try database.listCollectionIDs(parent: .root, pageSize: 1).finished()
    #expect(first.ids == ["a"])
    let second = try database.listCollectionIDs(
      parent: .root,
      pageSize: 1,
      pageToken: first.nextPageToken
    ).finished()
    #expect(second.ids == ["c"])
    #expect(second.nextPageToken.isEmpty)
  }

  @Test func `a group is divided into parts of about the same size`() throws {
    let fixture = try QueryFixture()
    for parent in 0..<4 {
      try fixture.write(
        (0..<250).map { (path("p/\(parent)/g/d\($0)"), fields([:])) }
      )
    }
    let query = Query(scope: .collectionGroup("g"))
    let all = try fixture.run(query, chunk: { 1_000 }).records.map(\.name)
    let whole = try fixture.database.partition(query, count: 5).finished()
    #expect(whole.names == [200, 400, 600, 800].map { all[$0] })
    let first = try fixture.database.partition(query, count: 5, pageSize: 3).finished()
    try fixture.write([(path("p/0/g/a"), fields([:]))])
    let second = try fixture.database.partition(
      query,
      count: 5,
      pageSize: 3,
      pageToken: first.nextPageToken
    ).finished()
    #expect(first.names + second.names == whole.names)
    #expect(second.nextPageToken.isEmpty)
    #expect(try fixture.database.partition(query, count: 1).finished().names.isEmpty)
    var filtered = query
    filtered.limit = 1
    #expect(throws: ServiceError.self) {
      try fixture.database.partition(filtered, count: 2)
    }
  }
}
