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
    let writes = documents.map { document in
      Write(
        name: DocumentName(
          database: Self.id,
          path: ResourcePath([collection, Text(document.id)])
        ),
        operation: .update(DocumentFields(encoding: document.fields), mask: nil)
      )
    }
    let result = BlockingResult<CommitOutcome>()
    database.commit(CommitProposal(writes: writes)) { result.set($0) }
    _ = try result.wait()
  }

  /// A pipeline that has not begun.
  ///
  /// - Parameter clock: The time since any fixed instant.
  func run(
    _ stages: [PipelineStage],
    _ options: PipelineOptions,
    clock: (() -> Duration)? = nil
  ) throws -> PipelineRun {
    try PipelineRun(
      try PipelineRun.compile(stages, in: Self.id),
      options,
      database: database,
      read: try database.beginRead(.latest),
      judge: nil,
      check: {},
      clock: clock
    )
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
    let run = try run(stages, options)
    var rows: [Row] = []
    while true {
      let chunk = try run.next(maxRows: 7, slice: slice)
      rows += chunk.rows
      if chunk.isDone { return rows }
    }
  }
}
