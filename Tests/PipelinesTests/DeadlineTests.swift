import BaseStatus
import BaseText
import FirestoreModel
import PipelineModel
import Synchronization
import Testing

@testable import Pipelines

/// The end of a caller's time in the middle of each operator: the third check fails, and no clock runs.
struct DeadlineTests {
  private final class Time: Sendable {
    private let checks = Mutex(0)
    private let last: Int

    /// - Parameter last: The number of the check that fails.
    init(last: Int = 3) { self.last = last }

    var count: Int { checks.withLock { $0 } }

    func check() throws {
      let number = checks.withLock { checks in
        checks += 1
        return checks
      }
      guard number < last else { throw ServiceError(.deadlineExceeded, "Deadline exceeded.") }
    }
  }

  private static func stage(_ name: String, _ arguments: PipelineOperand...) -> PipelineStage {
    PipelineStage(name: name, arguments: arguments)
  }

  private static func call(_ name: String, _ arguments: PipelineOperand...) -> PipelineOperand {
    .call(PipelineCall(name: name, arguments: arguments))
  }

  private static func field(_ name: Text) -> PipelineOperand { .field(FieldPath([name])) }

  private static func map(_ entries: (Text, PipelineOperand)...) -> PipelineOperand {
    .map(entries.map { .init(key: $0.0, value: $0.1) }.sorted { $0.key < $1.key })
  }

  private static let numbers = PipelineOperand.constant(
    .array((0..<100).map { .integer($0) })
  )
  /// A million rows.
  private static let rows = [
    stage("literals", map(("a", numbers))), stage("unnest", field("a"), field("b")),
    stage("unnest", field("a"), field("c")), stage("unnest", field("a"), field("d")),
  ]
  private static let count = stage("aggregate", map(("n", call("count"))))
  private static let one = stage("literals", .constant(.map(MapValue([.init(key: "x", value: 1)]))))

  /// A million calls for one row.
  private static let products = call(
    "array_transform",
    long,
    .constant("x"),
    call(
      "array_length",
      call(
        "array_transform",
        long,
        .constant("y"),
        call("add", .variable("x"), .variable("y"))
      )
    )
  )
  private static let long = PipelineOperand.constant(.array((0..<1_000).map { .integer($0) }))

  private static let pipelines: [String: [PipelineStage]] = [
    "unnest": rows,
    "where": rows + [stage("where", call("less_than", field("b"), .constant(-1)))],
    "select": rows + [stage("select", map(("d", field("d")))), count],
    "offset": rows + [stage("offset", .constant(900_000))],
    "sort": rows + [
      stage("sort", map(("direction", .constant("descending")), ("expression", field("d"))))
    ],
    "aggregate": rows + [count],
    "groups": rows + [
      stage("aggregate", map(("n", call("count"))), map(("b", field("b"))))
    ],
    "distinct": rows + [stage("distinct", map(("b", field("b"))))],
    "sample": rows + [stage("sample", .constant(5), .constant("documents"))],
    "union": [one, stage("union", .pipeline(rows)), count],
    "sub-pipeline": [one, stage("select", map(("n", call("scalar", .pipeline(rows + [count])))))],
    "expression": [one, stage("select", map(("n", products)))],
  ]

  @Test(arguments: pipelines.keys.sorted(), [500, PipelineRun.longSlice])
  func `a deadline ends every operator`(_ name: String, _ slice: Int) throws {
    let time = Time()
    let stages = try #require(Self.pipelines[name])
    let fixture = try PipelineFixture()
    let run = try fixture.run(stages, PipelineOptions(), check: { try time.check() })
    let error = #expect(throws: ServiceError.self) {
      while try !run.next(slice: slice).isDone {}
    }
    #expect(error?.code == .deadlineExceeded)
    #expect(error?.message == "Deadline exceeded.")
    #expect(time.count == 3)
  }

  /// Each of them but those that run for one row.
  private static let pausing = pipelines.keys.filter { $0 != "expression" && $0 != "sub-pipeline" }

  @Test(arguments: pausing.sorted())
  func `a slice ends in the middle of every operator`(_ name: String) throws {
    let time = Time(last: .max)
    let fixture = try PipelineFixture()
    let stages = try #require(Self.pipelines[name])
    let run = try fixture.run(stages, PipelineOptions(), check: { try time.check() })
    for _ in 0..<20 { #expect(try !run.next(slice: 500).isDone) }
    // There is a check for about a thousand steps.
    #expect(time.count < 20)
  }
}
