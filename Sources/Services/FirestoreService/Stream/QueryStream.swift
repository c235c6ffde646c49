import DocumentStore
import FirestoreModel
import FirestoreWire
import Synchronization

/// A query's results, read as fast as the client takes them.
///
/// The first message carries only the transaction that the query began, if it did; a query without
/// results still tells its read time; explain metrics come last.
final class QueryStream: ResponseStream {
  private let cursor: QueryCursor
  private let explain: ExplainMode?
  private let mask: [FieldPath]?
  private let call: Call
  private let service: FirestoreService
  private let state = Mutex(State())
  private let started = ContinuousClock.now

  private struct State {
    var hasBegun = false
    var toldTransaction = false
    var toldReadTime = false
    var isFinished = false
  }

  /// The most documents that one pull reads, so that a stream shares the engine threads fairly.
  private static let documentsPerPull = 300

  init(
    _ cursor: QueryCursor,
    explain: ExplainMode?,
    mask: [FieldPath]?,
    call: Call,
    service: FirestoreService
  ) {
    self.cursor = cursor
    self.explain = explain
    self.mask = mask
    self.call = call
    self.service = service
  }

  func next(
    maxBytes: Int,
    respond: @escaping @Sendable (Result<[[UInt8]], FirestoreError>) -> Void
  ) {
    if state.withLock({ $0.isFinished }) { return respond(.success([])) }
    do {
      if let messages = try state.withLock({ try pullInMemory(maxBytes, &$0) }) {
        return respond(.success(messages))
      }
      try service.onEngine(call, respond) { [self] in
        try state.withLock { try pull(maxBytes, &$0) }
      }
    } catch {
      respond(.failure(service.reported(error, call.context)))
    }
  }

  /// The first messages where memory alone can tell them.
  private func pullInMemory(_ maxBytes: Int, _ state: inout State) throws -> [[UInt8]]? {
    guard explain == nil, !state.hasBegun else { return nil }
    state.hasBegun = true
    guard cursor.newTransaction == nil, let chunk = try cursor.firstInMemory(maxBytes: maxBytes)
    else { return nil }
    var messages: [[UInt8]] = []
    try append(chunk, to: &messages, &state)
    // An empty list would be the end.
    return messages.isEmpty ? nil : messages
  }

  private func pull(_ maxBytes: Int, _ state: inout State) throws -> [[UInt8]] {
    var messages: [[UInt8]] = []
    if !state.toldTransaction {
      state.toldTransaction = true
      if let id = cursor.newTransaction {
        messages.append(RunQueryResponse(transaction: id.bytes).encoded())
      }
    }
    if explain == .plan {
      state.isFinished = true
      messages.append(RunQueryResponse(explain: try planMetrics()).encoded())
      return messages
    }
    repeat {
      try call.checkWanted()
      let chunk = try cursor.next(
        maxDocuments: Self.documentsPerPull,
        maxBytes: maxBytes
      )
      try append(chunk, to: &messages, &state)
    } while messages.isEmpty && !state.isFinished
    return messages
  }

  private func append(
    _ chunk: QueryChunk,
    to messages: inout [[UInt8]],
    _ state: inout State
  ) throws {
    var skipped = chunk.skipped
    for document in chunk.documents {
      let response = RunQueryResponse(
        document: document,
        readTime: chunk.readTime,
        skippedResults: skipped,
        mask: mask
      )
      messages.append(response.encoded())
      skipped = 0
    }
    if !chunk.documents.isEmpty { state.toldReadTime = true }
    guard chunk.isDone || skipped > 0 else { return }
    state.isFinished = chunk.isDone
    let metrics = chunk.isDone && explain == .analyze ? try finalMetrics() : nil
    if metrics != nil || skipped > 0 || !state.toldReadTime {
      state.toldReadTime = true
      let last = RunQueryResponse(
        readTime: chunk.readTime,
        skippedResults: skipped,
        explain: metrics
      )
      messages.append(last.encoded())
    }
  }

  private func planMetrics() throws -> ExplainMetrics {
    ExplainMetrics(plan: try cursor.plan().plannedIndexes)
  }

  private func finalMetrics() throws -> ExplainMetrics {
    ExplainMetrics(
      plan: try cursor.plan().plannedIndexes,
      execution: cursor.statistics.execution(in: ContinuousClock.now - started)
    )
  }
}
