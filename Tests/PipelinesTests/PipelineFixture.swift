import Access
import BaseText
import DocumentCodec
import DocumentStore
import FirestoreModel
import KeyValueStore
import PipelineModel

@testable import Pipelines

/// A database in memory, and pipelines on it.
final class PipelineFixture: Sendable {
  static let id = DatabaseID(project: "demo")
  let database: Database
  private let store: Databases

  init() throws {
    var configuration = StoreConfiguration()
    configuration.autoCreateDatabases = true
    configuration.maintainsItself = false
    let engine = MemoryEngine(storage: MemoryStorage())
    store = try Databases(engine: engine, configuration: configuration)
    database = try store.database(Self.id)
  }

  /// Writes documents of a collection.
  func put(_ documents: [(id: String, fields: MapValue)], in collection: Text = "c") throws {
    try put(documents.map { (ResourcePath([collection, Text($0.id)]), $0.fields) })
  }

  /// Writes documents by their paths.
  func put(_ documents: [(path: ResourcePath, fields: MapValue)]) throws {
    let writes = documents.map { document in
      Write(
        name: DocumentName(database: Self.id, path: document.path),
        operation: .update(DocumentFields(encoding: document.fields), mask: nil)
      )
    }
    let result = BlockingResult<CommitOutcome>()
    database.commit(CommitProposal(writes: writes)) { result.set($0) }
    _ = try result.wait()
  }

  /// A pipeline that has not begun.
  ///
  /// - Parameters:
  ///   - check: Throws where nobody waits any more.
  ///   - clock: The time since any fixed instant.
  func run(
    _ stages: [PipelineStage],
    _ options: PipelineOptions,
    check: @escaping @Sendable () throws -> Void = {},
    clock: (() -> Duration)? = nil
  ) throws -> PipelineRun {
    try PipelineRun(
      try PipelineRun.compile(stages, in: Self.id),
      options,
      database: database,
      read: try database.beginRead(.latest),
      judge: nil,
      check: check,
      clock: clock
    )
  }

  /// The rows and the tree of a pipeline, its clock a millisecond further at each look.
  func analyzed(_ stages: [PipelineStage], memory: Int64) throws -> (rows: [Row], text: String) {
    let explain: Value = .map(MapValue([.init(key: "mode", value: "analyze")]))
    let options = try PipelineOptions([
      "explain_options": .constant(explain), "memory_limit": .constant(.integer(memory)),
    ])
    var ticks = 0
    let run = try run(
      stages,
      options,
      clock: {
        ticks += 1
        return .milliseconds(ticks)
      }
    )
    var rows: [Row] = []
    while true {
      let chunk = try run.next()
      rows += chunk.rows
      if chunk.isDone { return (rows, run.explanation(isFinished: true)) }
    }
  }

  /// All rows of a pipeline, pulled in slices of so many steps.
  func rows(
    _ stages: [PipelineStage],
    usesIndexes: Bool = true,
    slice: Int = 20_000,
    options: PipelineOptions = PipelineOptions()
  ) throws -> [Row] {
    var options = options
    options.usesIndexes = usesIndexes
    // The first slice reads from the view that planned the pipeline, others from views of their own.
    let (run, first) = try PipelineRun.begin(
      try PipelineRun.compile(stages, in: Self.id),
      options,
      database: database,
      read: try database.beginRead(.latest),
      judge: nil,
      check: {}
    ) { run in (run, try run.next(maxRows: 7, slice: slice)) }
    var rows = first.rows
    var isDone = first.isDone
    while !isDone {
      let chunk = try run.next(maxRows: 7, slice: slice)
      rows += chunk.rows
      isDone = chunk.isDone
    }
    return rows
  }
}
