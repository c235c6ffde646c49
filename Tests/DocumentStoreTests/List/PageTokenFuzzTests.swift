import BaseText
import FirestoreModel
import ModelTestSupport
import Testing

@testable import DocumentStore

/// A page token is any text that a client likes to send.
@Suite struct PageTokenFuzzTests {
  private static let headLength = 9

  @Test func `page tokens of every listing`() throws {
    let fixture = try QueryFixture(.memory)
    for number in 0..<8 {
      try fixture.write([
        (path("c/d\(number)"), fields(["n": .integer(Int64(number))])),
        (path("c/d\(number)/s/x"), fields([:])), (path("g\(number)/x"), fields([:])),
      ])
    }
    let listings = Self.listings(fixture.database)
    let heads = try listings.map { list in
      Array(try #require(Base64.decodeStrictly(try list("").utf8)).prefix(Self.headLength))
    }
    let examples = try listings.map { list in
      Array(try #require(Base64.decodeStrictly(try list("").utf8)).dropFirst(Self.headLength))
    }
    var fuzzer = Fuzzer("pages", slowCount: 150_000, examples: examples)
    var turn = 0
    try fuzzer.run { input in
      turn += 1
      let kind = turn % listings.count
      // Others are refused before they are read.
      _ = try? listings[kind](Base64.url(heads[kind] + input))
      _ = try? listings[kind](String(decoding: input, as: UTF8.self))
    }
  }

  /// Returns the listings that take a token; each returns the next one.
  private static func listings(
    _ database: Database
  ) -> [(String) throws -> String] {
    var plain = DocumentListingRequest(parent: .root, collectionID: "c")
    plain.pageSize = 2
    var ordered = plain
    ordered.orders = [Order(FieldPath(["n"]), .descending)]
    var missing = plain
    missing.showMissing = true
    let documents = [plain, ordered, missing].map { request in
      { (token: String) throws in
        var request = request
        request.pageToken = token
        return try database.list(request).nextPageToken
      }
    }
    return documents + [
      { token in
        try database.listCollectionIDs(parent: .root, pageSize: 2, pageToken: token).finished()
          .nextPageToken
      },
      { token in
        try database.partition(
          Query(scope: .collectionGroup("c")),
          count: 5,
          pageSize: 2,
          pageToken: token
        ).finished().nextPageToken
      },
    ]
  }
}
