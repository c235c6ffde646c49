import AccessTestSupport
import BaseRuntime
import BaseText
import DocumentCodec
import FirestoreModel
import Testing

@testable import Access
@testable import DocumentStore
@testable import FirestoreService

/// Imports of many documents, several commits of which are in flight.
@Suite(.timeLimit(.minutes(10))) struct ImportTests {
  private let id = DatabaseID(project: "p")

  /// A request to write a document, as an export of another database has it.
  private static func message(_ path: String, _ fields: KeyValuePairs<String, Value>) -> [UInt8] {
    var request = ProtobufWriter()
    request.message(1) { document in
      document.string(1, "projects/else/databases/(default)/documents/\(path)")
      for (key, value) in fields {
        document.message(2) { entry in
          entry.string(1, key)
          entry.value(2, value)
        }
      }
    }
    return request.bytes
  }

  private static func name(_ number: Int) -> String {
    let digits = String(number)
    return "c/" + String(repeating: "0", count: 6 - digits.count) + digits
  }

  private func imported(
    _ messages: [[UInt8]],
    into permit: AdministratorPermit
  ) throws -> (written: Int, refusals: [String]) {
    var rest = messages[...]
    return try DocumentAdministration(permit).importDocuments(into: id) { rest.popFirst() }
  }

  private func differences(_ permit: AdministratorPermit) throws -> [String] {
    var differences: [String] = []
    _ = try DocumentAdministration(permit).verify(progress: { _ in }) { differences.append($0) }
    return differences
  }

  private func number(_ path: String, in permit: AdministratorPermit) throws -> Value? {
    try document(path, in: permit)?.fields.decoded()["n"]
  }

  private func document(_ path: String, in permit: AdministratorPermit) throws -> DocumentRecord? {
    let segments = path.split(separator: "/").map { Text(String($0)) }
    return try permit.database(id).get(ResourcePath(segments))
  }

  @Test func `new and known documents come in together, and an import twice changes nothing`()
    throws
  {
    let fixture = try ServiceFixture()
    let permit = AccessControl.administratorPermit(atRest: fixture.databases)
    let early = stride(from: 0, to: 3_000, by: 7).map {
      Self.message(Self.name($0), ["n": .integer(-1), "old": .boolean(true)])
    }
    #expect(try imported(early, into: permit).written == early.count)
    let all = (0..<3_000).map { Self.message(Self.name($0), ["n": .integer(Int64($0))]) }
    #expect(try imported(all, into: permit).written == 3_000)
    for number in [0, 1, 7, 2_996, 2_999] {
      #expect(try self.number(Self.name(number), in: permit) == .integer(Int64(number)))
    }
    let time = try document(Self.name(7), in: permit)?.updateTime
    #expect(try imported(all.reversed(), into: permit).written == 3_000)
    #expect(try document(Self.name(7), in: permit)?.updateTime == time)
    #expect(try differences(permit) == [])
    fixture.close()
  }

  @Test func `a refused document costs no other one, and the last of a name stays`() throws {
    let fixture = try ServiceFixture()
    let permit = AccessControl.administratorPermit(atRest: fixture.databases)
    var messages = (0..<2_000).map { Self.message(Self.name($0), ["n": .integer(1)]) }
    // More entries than an index takes of one document.
    let many = Value.array((0..<40_001).map { .integer(Int64($0)) })
    messages[3] = Self.message(Self.name(3), ["n": many])
    // Behind the refused one in its batch, and again in one that is written meanwhile.
    messages[600] = Self.message(Self.name(5), ["n": .integer(2)])
    let result = try imported(messages, into: permit)
    #expect(result.written == 1_999)
    #expect(result.refusals.count == 1)
    #expect(result.refusals.first?.hasPrefix("c/000003: ") == true)
    #expect(try number(Self.name(3), in: permit) == nil)
    #expect(try number(Self.name(4), in: permit) == .integer(1))
    #expect(try number(Self.name(5), in: permit) == .integer(2))
    #expect(try differences(permit) == [])
    fixture.close()
  }

  @Test func `a batch that waits for a transaction is not overtaken by one of its documents`()
    async throws
  {
    let fixture = try ServiceFixture()
    let permit = AccessControl.administratorPermit(atRest: fixture.databases)
    let database = try permit.databaseOnFirstUse(id)
    _ = try imported([Self.message(Self.name(0), ["n": .integer(0)])], into: permit)
    let owner = ServiceFixture.context(authorization: "Bearer owner")
    let begun = try await fixture.call("POST", ":beginTransaction", "{}", context: owner)
    let transaction = try #require(begun.first?.split(separator: "\"").dropFirst(3).first)
    let held = "\(ServiceFixture.documents)/\(Self.name(0))"
    _ = try await fixture.call(
      "POST",
      ":batchGet",
      "{\"documents\":[\"\(held)\"],\"transaction\":\"\(transaction)\"}",
      context: owner
    )
    var messages = (0..<2_000).map { Self.message(Self.name($0), ["n": .integer(1)]) }
    messages[700] = Self.message(Self.name(5), ["n": .integer(2)])
    let outcome = BlockingResult<Int>()
    let importer = StoreThread { [messages] in
      outcome.set(Result { try imported(messages, into: permit).written })
    }
    while !Task.isCancelled, database.locks.waiting == 0 { await Task.yield() }
    for _ in 0..<200 {
      #expect(try number(Self.name(5), in: permit) == nil)
      await Task.yield()
    }
    let ended = "{\"transaction\":\"\(transaction)\"}"
    _ = try await fixture.call("POST", ":rollback", ended, context: owner)
    importer.join()
    #expect(try outcome.wait() == 2_000)
    #expect(try number(Self.name(5), in: permit) == .integer(2))
    fixture.close()
  }

  @Test func `of documents that exclude each other the first one is stored`() throws {
    let fixture = try ServiceFixture()
    let permit = AccessControl.administratorPermit(atRest: fixture.databases)
    try permit.databaseOnFirstUse(id).declareIndex(
      IndexDefinition(
        collectionID: "c",
        scope: .collection,
        fields: [IndexedField(FieldPath(["n"]), .ascending)],
        isUnique: true
      )
    )
    var messages = (0..<1_500).map { Self.message(Self.name($0), ["n": .integer(Int64($0))]) }
    messages[700] = Self.message(Self.name(700), ["n": .integer(10)])
    messages[20] = Self.message(Self.name(20), ["n": .integer(19)])
    let result = try imported(messages, into: permit)
    #expect(result.written == 1_498)
    #expect(result.refusals.map { $0.prefix(8) } == ["c/000020", "c/000700"])
    #expect(try number(Self.name(10), in: permit) == .integer(10))
    #expect(try differences(permit) == [])
    fixture.close()
  }
}
