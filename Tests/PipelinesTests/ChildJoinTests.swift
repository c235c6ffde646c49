import BaseStatus
import BaseText
import FirestoreModel
import PipelineModel
import Synchronization
import Testing

@testable import Pipelines

/// Joins with the collections below the rows, and sub-pipelines that run once.
struct ChildJoinTests {
  /// Products, every third without reviews, the others with so many of a size in bytes.
  private static func shop(
    products: Int,
    reviews: Int,
    size: Int = 1
  ) throws -> PipelineFixture {
    let fixture = try PipelineFixture()
    let text = Value.string(Text(String(repeating: "x", count: size)))
    for number in 0..<products {
      let path = ResourcePath(["products", Text("p\(number)")])
      var documents = [(path, MapValue([.init(key: "n", value: .integer(Int64(number)))]))]
      for review in 0..<(number % 3 == 0 ? 0 : reviews) {
        let fields = MapValue([
          .init(key: "stars", value: .integer(Int64(review % 5))), .init(key: "text", value: text),
        ])
        documents.append((ResourcePath(path.segments + ["reviews", Text("r\(review)")]), fields))
      }
      try fixture.put(documents)
    }
    return fixture
  }

  private func call(_ name: String, _ arguments: PipelineOperand...) -> PipelineOperand {
    .call(PipelineCall(name: name, arguments: arguments))
  }

  private func field(_ name: Text) -> PipelineOperand { .field(FieldPath([name])) }

  private func stage(_ name: String, _ arguments: PipelineOperand...) -> PipelineStage {
    PipelineStage(name: name, arguments: arguments)
  }

  private func map(_ key: Text, _ value: PipelineOperand) -> PipelineOperand {
    .map([.init(key: key, value: value)])
  }

  private func order(_ operand: PipelineOperand) -> PipelineOperand {
    .map([
      .init(key: "direction", value: .constant("descending")),
      .init(key: "expression", value: operand),
    ])
  }

  private var counted: PipelineStage { stage("aggregate", map("n", call("count"))) }

  /// Products, each with the only value of a sub-pipeline.
  private func products(_ function: String, _ inner: [PipelineStage]) -> [PipelineStage] {
    [
      stage("collection", .path("/products")), stage("let", map("least", field("n"))),
      stage("select", map("found", call(function, .pipeline(inner)))),
    ]
  }

  private var reviews: PipelineStage { stage("subcollection", .constant("reviews")) }

  private func values(_ rows: [Row]) -> [Value?] { rows.map { $0.fields["found"] } }

  @Test func `collections below the rows are read ahead for a batch of rows`() throws {
    let fixture = try Self.shop(products: 90, reviews: 4)
    let (rows, text) = try fixture.analyzed(
      products("scalar", [reviews, counted]),
      memory: 1 << 22
    )
    #expect(rows.count == 90)
    #expect(values(rows).count { $0 == .integer(0) } == 30)
    #expect(values(rows).count { $0 == .integer(4) } == 60)
    #expect(text.contains("- NestedLoopJoin in batches (rows: 90,"))
    #expect(text.contains("- SeekingScan ./reviews by parent (rows: 240,"))
    #expect(!text.contains("row by row"))
  }

  @Test func `constant conditions choose what is read of the collections`() throws {
    let fixture = try Self.shop(products: 9, reviews: 10)
    let high = stage("where", call("greater_than", field("stars"), .constant(2)))
    let (rows, text) = try fixture.analyzed(
      products("scalar", [reviews, high, counted]),
      memory: 1 << 20
    )
    #expect(values(rows).count { $0 == .integer(4) } == 6)
    #expect(text.contains("- SeekingScan ./reviews by parent (rows: 24,"))
  }

  @Test func `the best of each collection are read ahead where no index sorts them`() throws {
    let fixture = try Self.shop(products: 9, reviews: 10)
    let best = [
      reviews, stage("sort", order(field("stars"))), stage("limit", .constant(2)),
      stage("select", map("stars", field("stars"))),
    ]
    let (rows, text) = try fixture.analyzed(products("array", best), memory: 1 << 20)
    #expect(values(rows).count { $0 == .array([4, 4]) } == 6)
    #expect(values(rows).count { $0 == .array([]) } == 3)
    #expect(text.contains("- SeekingScan ./reviews by parent (rows: 60,"))
  }

  @Test func `what an index may find for each row stays row by row, and the plan says so`() throws {
    let fixture = try Self.shop(products: 9, reviews: 10)
    let above = stage("where", call("greater_than", field("stars"), .variable("least")))
    for inner in [[reviews, above, counted], [reviews, stage("limit", .constant(1)), counted]] {
      let (rows, text) = try fixture.analyzed(products("scalar", inner), memory: 1 << 20)
      #expect(rows.count == 9)
      #expect(text.contains("- NestedLoopJoin row by row: ./reviews (rows: 9,"))
      #expect(!text.contains("in batches"))
    }
  }

  @Test(arguments: [2_000, 20_000, 60_000] as [Int64])
  func `joins without room give the same`(_ memory: Int64) throws {
    let fixture = try Self.shop(products: 12, reviews: 6, size: 400)
    let (rows, text) = try fixture.analyzed(products("scalar", [reviews, counted]), memory: memory)
    #expect(values(rows).count { $0 == .integer(6) } == 8)
    let peak = text.split(separator: "\n").last.flatMap { $0.split(separator: " ").dropLast().last }
    #expect(try #require(peak.flatMap { Int64($0) }) <= memory)
  }

  @Test func `rows without a document have nothing below them`() throws {
    let fixture = try Self.shop(products: 6, reviews: 2)
    let stages = [
      stage("collection", .path("/products")), stage("select", map("n", field("n"))),
      stage("select", map("found", call("scalar", .pipeline([reviews, counted])))),
    ]
    let (rows, _) = try fixture.analyzed(stages, memory: 1 << 20)
    #expect(values(rows) == Array(repeating: .integer(0), count: 6))
  }

  @Test func `a join ends where nobody waits for it`() throws {
    struct Gone: Error {}
    let fixture = try Self.shop(products: 4, reviews: 3_000)
    let looks = Mutex(0)
    let run = try fixture.run(
      products("scalar", [reviews, counted]),
      PipelineOptions(),
      check: {
        try looks.withLock { looks in
          looks += 1
          if looks > 3 { throw Gone() }
        }
      }
    )
    #expect(throws: Gone.self) { while try !run.next().isDone {} }
    // A look at every 1,024th step: it ended long before the 6,000 documents were read and counted.
    #expect(looks.withLock { $0 } == 4)
  }

  @Test func `a sub-pipeline that needs nothing of the row runs once`() throws {
    let fixture = try Self.shop(products: 30, reviews: 0)
    let most = [
      stage("collection", .path("/products")),
      stage("aggregate", map("n", call("maximum", field("n")))),
    ]
    let stages = [
      stage("collection", .path("/products")),
      stage("where", call("equal", field("n"), call("scalar", .pipeline(most)))),
    ]
    let (rows, text) = try fixture.analyzed(stages, memory: 1 << 20)
    #expect(rows.map { $0.fields["n"] } == [29])
    #expect(text.contains("- NestedLoopJoin once: /products (rows: 1,"))
    // Each of 30 runs would be a row of the node.
    let random = [most[0], stage("aggregate", map("n", call("maximum", call("rand"))))]
    let (_, chance) = try fixture.analyzed(products("scalar", random), memory: 1 << 20)
    #expect(chance.contains("- NestedLoopJoin row by row: /products (rows: 30,"))
  }

  @Test func `a sub-pipeline that fails once fails for each row`() throws {
    let fixture = try Self.shop(products: 5, reviews: 0)
    let failing = [
      stage("collection", .path("/products")),
      stage("select", map("x", call("divide", .constant(1), .constant(0)))),
    ]
    let caught = call("if_error", call("array", .pipeline(failing)), .constant("failed"))
    let stages = [stage("collection", .path("/products")), stage("select", map("found", caught))]
    let (rows, _) = try fixture.analyzed(stages, memory: 1 << 20)
    #expect(values(rows) == Array(repeating: "failed", count: 5))
    let dropped = stage("where", call("exists", call("array", .pipeline(failing))))
    #expect(try fixture.rows([stages[0], dropped]).isEmpty)
  }
}
