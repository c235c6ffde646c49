import BaseText
import FirestoreModel
import PipelineModel
import Testing

@testable import Pipelines

/// The plans of joins and groups, and what they read.
struct JoinTests {
  private static func shop(products: Int, orders: Int) throws -> PipelineFixture {
    let fixture = try PipelineFixture()
    try fixture.put(
      (0..<products).map { number in
        ("p\(number)", fields(["name": .string(Text("n\(number)")), "price": 1]))
      },
      in: "products"
    )
    try fixture.put(
      (0..<orders).map { number in
        ("o\(number)", fields(["product": .string(Text("p\(number % products)"))]))
      },
      in: "orders"
    )
    return fixture
  }

  private static func fields(_ values: [Text: Value]) -> MapValue {
    MapValue(values.map { MapValue.Entry(key: $0.key, value: $0.value) })
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

  /// Orders, each with the name of its product.
  private var ordersWithNames: [PipelineStage] {
    let product = [
      stage("collection", .path("/products")),
      stage("where", call("equal", call("document_id", .field(.documentName)), .variable("p"))),
      stage("select", map("name", field("name"))),
    ]
    return [
      stage("collection", .path("/orders")),
      stage("let", map("p", field("product"))),
      stage("select", map("name", call("scalar", .pipeline(product)))),
    ]
  }

  /// Products, each with the number of its orders.
  private var productsWithCounts: [PipelineStage] {
    let orders = [
      stage("collection", .path("/orders")),
      stage("where", call("equal", field("product"), .variable("p"))),
      stage("aggregate", map("n", call("count"))),
    ]
    return [
      stage("collection", .path("/products")),
      stage("let", map("p", call("document_id", .field(.documentName)))),
      stage("select", map("n", call("scalar", .pipeline(orders)))),
    ]
  }

  /// The rows and the tree of a pipeline, its clock a millisecond further at each look.
  private func analyzed(
    _ stages: [PipelineStage],
    _ fixture: PipelineFixture,
    memory: Int64 = 1 << 20
  ) throws -> (rows: [Row], text: String) {
    try fixture.analyzed(stages, memory: memory)
  }

  @Test func `a join by ID looks each document up once`() throws {
    let fixture = try Self.shop(products: 7, orders: 400)
    let (rows, text) = try analyzed(ordersWithNames, fixture)
    #expect(rows.count == 400)
    for number in 0..<7 {
      let name = Value.string(Text("n\(number)"))
      let expected = (0..<400).count { $0 % 7 == number }
      #expect(rows.count { $0.fields["name"] == name } == expected)
    }
    #expect(text.contains("- NestedLoopJoin in batches (rows: 400,"))
    #expect(text.contains("- LookupById /products by __name__ (rows: 7,"))
  }

  @Test func `a join by a field seeks an index for many rows at once`() throws {
    let fixture = try Self.shop(products: 70, orders: 210)
    let (rows, text) = try analyzed(productsWithCounts, fixture)
    #expect(rows.map { $0.fields["n"] } == Array(repeating: .integer(3), count: 70))
    #expect(text.contains("- IndexSeek /orders by product (rows: 210,"))
  }

  @Test func `a join without room reads row by row`() throws {
    let fixture = try Self.shop(products: 3, orders: 90)
    let (rows, _) = try analyzed(productsWithCounts, fixture, memory: 4_000)
    #expect(rows.map { $0.fields["n"] } == Array(repeating: .integer(30), count: 3))
  }

  @Test func `a sub-pipeline that runs for each row is in the explanation`() throws {
    let fixture = try Self.shop(products: 3, orders: 9)
    let counted = [
      stage("collection", .path("/orders")),
      stage("where", call("greater_than_or_equal", field("product"), .variable("p"))),
      stage("aggregate", map("n", call("count"))),
    ]
    let stages = [
      stage("collection", .path("/products")),
      stage("let", map("p", call("document_id", .field(.documentName)))),
      stage("select", map("n", call("scalar", .pipeline(counted)))),
    ]
    let (rows, text) = try analyzed(stages, fixture)
    #expect(rows.map { $0.fields["n"] } == [9, 6, 3])
    #expect(text.contains("- NestedLoopJoin row by row: /orders (rows: 3, bytes: "))
    // One run for each row, and two looks at the clock for each run.
    #expect(text.contains("time: 3.000 ms)"))
    let plan = try fixture.run(
      stages,
      try PipelineOptions([
        "explain_options": .constant(.map(Self.fields(["mode": "explain"])))
      ])
    )
    #expect(plan.explanation(isFinished: false).contains("- NestedLoopJoin row by row: /orders"))
    let (_, joined) = try analyzed(ordersWithNames, fixture)
    #expect(!joined.contains("row by row"))
  }

  @Test func `groups behind a sort by them are streamed, others hashed`() throws {
    let fixture = try Self.shop(products: 3, orders: 90)
    let grouping = stage(
      "aggregate",
      map("n", call("count")),
      map("product", field("product"))
    )
    func order(_ operand: PipelineOperand) -> PipelineOperand {
      .map([
        .init(key: "direction", value: .constant("ascending")),
        .init(key: "expression", value: operand),
      ])
    }
    let orders = stage("collection", .path("/orders"))
    let sorted = [orders, stage("sort", order(field("product"))), grouping]
    let (rows, text) = try analyzed(sorted, fixture)
    #expect(rows.map { $0.fields["product"] } == ["p0", "p1", "p2"])
    #expect(rows.map { $0.fields["n"] } == [.integer(30), .integer(30), .integer(30)])
    #expect(text.contains("StreamAggregate product"))
    let named = [orders, stage("sort", order(.field(.documentName))), grouping]
    #expect(try analyzed(named, fixture).text.contains("HashAggregate product"))
    #expect(try analyzed([orders, grouping], fixture).text.contains("HashAggregate product"))
  }

  @Test func `an explanation has rows, bytes and time of each operator`() throws {
    let fixture = try Self.shop(products: 2, orders: 1)
    let stages = [stage("collection", .path("/products")), stage("limit", .constant(1))]
    let (_, text) = try analyzed(stages, fixture)
    // Each look at the clock takes a millisecond: two looks for a pull, and the limit pulls twice itself.
    #expect(text.contains("- Limit 1 (rows: 1, bytes: "))
    #expect(text.contains("time: 3.000 ms)"))
    #expect(text.contains("- TableScan /products"))
    #expect(text.contains("time: 1.000 ms)"))
    #expect(!text.contains("bytes: 0,"))
  }
}
