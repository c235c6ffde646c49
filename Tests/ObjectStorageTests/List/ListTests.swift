import BaseText
import ModelTestSupport
import Testing

@testable import ObjectStorage

@Suite struct ListTests {
  private static let names = [
    "a", "a/", "a/1", "a/2", "a/b/3", "aa", "b/1", "b/c/d/e", "c", "é", "e\u{301}", "z/",
  ]

  private static func filled(_ fixture: StorageFixture) async throws -> Bucket {
    let bucket = try await fixture.bucket()
    for name in names { try await bucket.put(name, name) }
    return bucket
  }

  @Test(arguments: [1, 2, 1_000])
  func `names come in the order of their bytes, by pages`(limit: Int) async throws {
    let fixture = try StorageFixture()
    let bucket = try await Self.filled(fixture)
    var query = ObjectQuery()
    query.limit = limit
    let all = try await bucket.names(query)
    #expect(all.objects.map { Text($0) } == Self.names.map { Text($0) }.sorted())
    query.delimiter = "/"
    let folded = try await bucket.names(query)
    #expect(folded.objects.map { Text($0) } == ["a", "aa", "c", "e\u{301}", "é"].map { Text($0) })
    #expect(folded.prefixes == ["a/", "b/", "z/"])
    query.prefix = "a/"
    let below = try await bucket.names(query)
    #expect(below.objects == ["a/", "a/1", "a/2"] && below.prefixes == ["a/b/"])
    query.prefix = ""
    query.includesTrailingDelimiter = true
    #expect(try await bucket.names(query).objects.contains("z/"))
    try fixture.close()
  }

  @Test func `bounds are of names`() async throws {
    let fixture = try StorageFixture()
    let bucket = try await Self.filled(fixture)
    var query = ObjectQuery()
    query.start = "a/2"
    query.end = "b/c"
    #expect(try await bucket.names(query).objects == ["a/2", "a/b/3", "aa", "b/1"])
    query.prefix = "a/"
    #expect(try await bucket.names(query).objects == ["a/2", "a/b/3"])
    query.prefix = "nothing"
    #expect(try await bucket.names(query).objects.isEmpty)
    #expect(throws: StorageError.self) { try ObjectPageToken("rubbish!") }
    try fixture.close()
  }

  @Test(arguments: [
    ("a/*", ["a/", "a/1", "a/2"]), ("**1", ["a/1", "b/1"]), ("?", ["a", "c", "é"]),
    ("{a,b}/[12]", ["a/1", "a/2", "b/1"]), ("", []),
    ("**/[!12]", ["a", "c", "é", "a/b/3", "b/c/d/e"]), ("**/a", ["a"]), ("a/**/3", ["a/b/3"]),
    ("a/**/1", ["a/1"]), ("**/b/**/e", ["b/c/d/e"]), ("a**/1", ["a/1"]), ("z**/a", []),
    ("{**/,x}c", ["c"]), ("***/c", ["c"]),
  ])
  func `globs choose names`(pattern: String, expected: [String]) async throws {
    let fixture = try StorageFixture()
    let bucket = try await Self.filled(fixture)
    var query = ObjectQuery()
    query.glob = try ObjectGlob(pattern)
    let found = try await bucket.names(query).objects
    #expect(found.map { Text($0) }.sorted() == expected.map { Text($0) }.sorted())
    try fixture.close()
  }

  @Test(arguments: ["[", "{a", "[z-a]", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "\\"])
  func `globs that mean nothing or too much are refused`(pattern: String) {
    #expect(throws: StorageError.self) { try ObjectGlob(pattern) }
  }

  @Test func `a glob of many stars is soon done`() throws {
    let glob = try ObjectGlob(String(repeating: "*a", count: 300))
    #expect(!glob.matches(Array(repeating: UInt8(ascii: "a"), count: 299)))
    #expect(glob.matches(Array(repeating: UInt8(ascii: "a"), count: 301)))
    let folders = try ObjectGlob(String(repeating: "**/", count: 300) + "b")
    #expect(!folders.matches(Array("a/".utf8) + Array(repeating: UInt8(ascii: "a"), count: 300)))
    #expect(folders.matches([UInt8(ascii: "b")]))
  }

  /// Random names and queries against a plain filter.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `random lists are what a filter gives`(seed: UInt64) async throws {
    let fixture = try StorageFixture()
    let bucket = try await fixture.bucket()
    var source = SeededSource(seed: seed)
    var names: Set<String> = []
    while names.count < 60 {
      let length = Int.random(in: 1...5, using: &source)
      names.insert(String((0..<length).map { _ in "ab/".randomElement(using: &source) ?? "a" }))
    }
    for name in names { try await bucket.put(name, "") }
    for _ in 0..<40 {
      var query = ObjectQuery()
      query.prefix = Text(["", "a", "a/", "ab", "/"].randomElement(using: &source) ?? "")
      query.delimiter = Bool.random(using: &source) ? "/" : nil
      query.limit = Int.random(in: 1...7, using: &source)
      let found = try await bucket.names(query)
      let model = Self.model(names, query)
      #expect(found.objects == model.objects && found.prefixes == model.prefixes, "seed \(seed)")
    }
    try fixture.close()
  }

  private static func model(
    _ names: Set<String>,
    _ query: ObjectQuery
  ) -> (objects: [String], prefixes: [String]) {
    var (objects, prefixes) = ([String](), Set<String>())
    for name in names where name.hasPrefix(query.prefix.string) {
      let rest = name.dropFirst(query.prefix.string.count)
      if query.delimiter != nil, let slash = rest.firstIndex(of: "/") {
        prefixes.insert(query.prefix.string + rest[...slash])
      } else {
        objects.append(name)
      }
    }
    return (objects.sorted(), prefixes.sorted())
  }
}
