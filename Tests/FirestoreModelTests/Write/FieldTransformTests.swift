import BaseStatus
import FirestoreModel
import Testing

@Suite struct FieldTransformTests {
  private static let time = Timestamp(microseconds: 1_234_567)

  static let numeric: [(FieldTransform.Operation, Value?, Value)] = [
    (.increment(.integer(2)), .integer(3), .integer(5)),
    (.increment(.integer(2)), nil, .integer(2)),
    (.increment(.integer(2)), .string("3"), .integer(2)),
    (.increment(.integer(1)), .integer(.max), .integer(.max)),
    (.increment(.integer(-1)), .integer(.min), .integer(.min)),
    (.increment(.double(0.5)), .integer(1), .double(1.5)),
    (.increment(.integer(1)), .double(0.5), .double(1.5)),
    (.increment(.integer(1)), .integer(1 << 53), .integer(1 << 53 + 1)),
    (.maximum(.integer(5)), .integer(3), .integer(5)),
    (.maximum(.double(3)), .integer(3), .integer(3)),
    (.maximum(.integer(0)), .double(-0.0), .double(-0.0)),
    (.maximum(.integer(1)), .null, .integer(1)),
    (.minimum(.integer(1)), .double(1.5), .integer(1)),
    (.minimum(.double(0)), .integer(0), .integer(0)),
    (.minimum(.double(.nan)), .integer(0), .double(.nan)),
    (.maximum(.integer(0)), .double(.nan), .double(.nan)),
    (.serverTimestamp, .integer(0), .timestamp(Timestamp(microseconds: 1_234_000))),
  ]

  @Test(arguments: numeric)
  func `numbers and times are computed and told`(
    operation: FieldTransform.Operation,
    stored: Value?,
    expected: Value
  ) {
    let transform = FieldTransform(field: field("f"), operation: operation)
    let (value, result) = transform.apply(to: stored, requestTime: Self.time)
    #expect(value == expected)
    #expect(result == expected)
  }

  static let arrays: [(FieldTransform.Operation, Value?, [Value])] = [
    (
      .appendMissingElements([.double(1), .integer(2), .double(2), .null]),
      .array([.integer(1), .null]),
      [.integer(1), .null, .integer(2)]
    ),
    (.appendMissingElements([.double(.nan), .double(-.nan)]), nil, [.double(.nan)]),
    (.appendMissingElements([.integer(1)]), .string("x"), [.integer(1)]),
    (
      .removeAllFromArray([.double(1)]), .array([.integer(1), .integer(2), .double(1)]),
      [.integer(2)]
    ),
    (.removeAllFromArray([.integer(1)]), .integer(1), []),
  ]

  @Test(arguments: arrays)
  func `arrays are united and reduced by equality`(
    operation: FieldTransform.Operation,
    stored: Value?,
    expected: [Value]
  ) {
    let transform = FieldTransform(field: field("f"), operation: operation)
    let (value, result) = transform.apply(to: stored, requestTime: Self.time)
    #expect(value == .array(expected))
    #expect(result == .null)
  }

  @Test(.timeLimit(.minutes(10)))
  func `large arrays are united in linear time`() {
    let stored = Value.array((0..<50_000).map { .integer($0) })
    let added = (25_000..<75_000).map { Value.double(Double($0)) }
    let union = FieldTransform(field: field("f"), operation: .appendMissingElements(added))
    let removal = FieldTransform(field: field("f"), operation: .removeAllFromArray(added))
    guard case .array(let all) = union.apply(to: stored, requestTime: Self.time).value,
      case .array(let rest) = removal.apply(to: stored, requestTime: Self.time).value
    else {
      Issue.record("not an array")
      return
    }
    #expect(all.count == 75_000)
    #expect(rest.count == 25_000)
  }

  @Test func `operands of numeric transforms are numbers`() {
    let transform = FieldTransform(field: field("f"), operation: .increment(.string("1")))
    #expect(
      refusal { () throws(ServiceError) in try transform.check() }
        == "Input must be int64 or double."
    )
  }
}

@Suite struct WriteLimitsTests {
  private let database = DatabaseID(project: "p")

  @Test(arguments: [
    ([Write.Operation.verify, .verify], "verified more than once"),
    ([.verify, .delete], "verified and then written"),
    ([.delete, .verify], "written and then verified"),
  ])
  func `a verified document has no other write`(operations: [Write.Operation], how: String) {
    let writes = operations.map { write("c/1", $0) }
    #expect(commitRefusal(writes) == "the same document cannot be \(how) in a single request")
    #expect(commitRefusal([write("c/1", operations[0]), write("c/2", operations[1])]) == nil)
  }

  @Test func `a verify needs a precondition and a document the right database`() {
    let bare = Write(name: name("c/1"), operation: .verify)
    #expect(commitRefusal([bare]) == "a verify must contain a precondition")
    let foreign = Write(
      name: DocumentName(database: DatabaseID(project: "q"), path: resourcePath("c/1")),
      operation: .delete
    )
    #expect(commitRefusal([foreign]) != nil)
  }

  @Test func `a batch writes 500 documents once each, a commit any of them again`() {
    let twice = [write("c/1", "delete"), write("c/1", "delete")]
    #expect(commitRefusal(twice) == nil)
    #expect(
      batchRefusal(twice)
        == "the same document cannot be written more than once in a single request"
    )
    let many = (0..<501).map { write("c/\($0)", .delete) }
    #expect(batchRefusal(many) == "maximum 500 writes allowed per request")
    #expect(batchRefusal(Array(many.dropLast())) == nil)
    #expect(commitRefusal(many) == nil)
  }

  @Test func `a document has 500 transforms a commit`() {
    let transforms = (0..<251).map {
      FieldTransform(field: field("f\($0)"), operation: .serverTimestamp)
    }
    let half = Write(name: name("c/1"), operation: .transform, transforms: transforms)
    #expect(commitRefusal([half]) == nil)
    #expect(commitRefusal([half, half])?.contains("500 transforms") == true)
  }

  /// Checks which write may follow which, as in Google's emulator: a word for each write, then its
  /// refusal.
  @Test(arguments: [
    (["delete", "update"], "Cannot delete then update an entity in the same request."),
    (["delete", "at 5"], "Cannot delete then update an entity in the same request."),
    (["delete", "delete!"], "Cannot delete then delete an entity in the same request."),
    (["upsert", "insert"], "Cannot upsert then insert an entity in the same request."),
    (["insert", "insert"], "Cannot insert then insert an entity in the same request."),
    (["update", "insert"], "Cannot update then insert an entity in the same request."),
    (["upsert", "delete?"], "Cannot upsert then delete an entity in the same request."),
    (["insert", "delete", "update"], "Cannot delete then update an entity in the same request."),
    (["upsert", "at 5"], "Cannot collapse mutations with different version preconditions."),
    (["at 4", "at 5"], "Cannot collapse mutations with different version preconditions."),
    (["at 5", "at 5", "update", "upsert", "delete!", "insert"], nil),
    (["delete", "insert", "update", "delete", "upsert"], nil),
    (["delete?", "delete", "delete?", "upsert"], nil),
  ])
  func `an update after a delete of the same document is refused, and what else cannot follow`(
    words: [String],
    text: String?
  ) {
    #expect(commitRefusal(words.map { write("c/1", $0) }) == text)
    // The writes of one document are no matter of another's.
    let others = words.enumerated().map { write("c/\($0.offset)", $0.element) }
    #expect(commitRefusal(others) == nil)
  }

  private func write(_ path: String, _ word: String) -> Write {
    let precondition: Precondition? =
      switch word {
      case "insert", "delete?": .exists(false)
      case "update", "delete!": .exists(true)
      case "at 4": .updateTime(CommitVersion(microseconds: 4))
      case "at 5": .updateTime(CommitVersion(microseconds: 5))
      default: nil
      }
    let operation = word.hasPrefix("delete") ? Write.Operation.delete : .transform
    return Write(name: name(path), operation: operation, precondition: precondition)
  }

  private func name(_ path: String) -> DocumentName {
    DocumentName(database: database, path: resourcePath(path))
  }

  private func write(_ path: String, _ operation: Write.Operation) -> Write {
    Write(name: name(path), operation: operation, precondition: .exists(true))
  }

  private func commitRefusal(_ writes: [Write]) -> String? {
    refusal { () throws(ServiceError) in
      try WriteLimits.checkCommit(writes, database: database)
    }
  }

  private func batchRefusal(_ writes: [Write]) -> String? {
    refusal { () throws(ServiceError) in
      try WriteLimits.checkBatch(writes, database: database)
    }
  }
}
