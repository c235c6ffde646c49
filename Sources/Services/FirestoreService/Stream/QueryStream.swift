import Access
import BaseRuntime
import BaseStatus
import DocumentStore
import FirestoreModel
import FirestoreWire
import Synchronization

/// A query's results, read as fast as the client takes them.
///
/// The first message carries only the query's new transaction, if there is one. A query without
/// results still returns its read time. Explain metrics come with the last message.
final class QueryStream: ResponseStream {
  private let cursor: QueryCursor
  private let explain: ExplainMode?
  private let mask: [FieldPath]?
  private let call: Call
  private let service: FirestoreService
  /// Ends the transaction that the request began.
  private let onFailure: @Sendable () -> Void
  private let state = Mutex(State())
  private let started = ContinuousClock.now
  /// The memory that the query keeps between pulls.
  private let lease: ByteLease?

  private struct State {
    var hasBegun = false
    /// True if the first slice was read on an engine thread.
    var isScanning = false
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
    service: FirestoreService,
    onFailure: @escaping @Sendable () -> Void
  ) {
    self.cursor = cursor
    self.explain = explain
    self.mask = mask
    self.call = call
    self.service = service
    self.onFailure = onFailure
    lease = call.context.account.flatMap { ByteLease($0, for: .response) }
  }

  func next(
    maxBytes: Int,
    respond: @escaping @Sendable (Result<[[UInt8]], ServiceError>) -> Void
  ) {
    if state.withLock({ $0.isFinished }) { return respond(.success([])) }
    do {
      if let messages = try state.withLock({ try pullInMemory(maxBytes, &$0) }) {
        return respond(.success(messages))
      }
      let isFirst = state.withLock { state in
        defer { state.isScanning = true }
        return !state.isScanning
      }
      try readOn(maxBytes, isFirst ? .reads : .scans, respond)
    } catch {
      fail(service.reported(error, call.context), respond)
    }
  }

  /// Ends the stream, and the transaction that the request began.
  private func fail(
    _ error: ServiceError,
    _ respond: @Sendable (Result<[[UInt8]], ServiceError>) -> Void
  ) {
    onFailure()
    respond(.failure(error))
  }

  /// Reads one slice on an engine thread, and the next ones behind the queued work of others there,
  /// until there is something to send.
  private func readOn(
    _ maxBytes: Int,
    _ lane: EngineThreads.Lane,
    _ respond: @escaping @Sendable (Result<[[UInt8]], ServiceError>) -> Void
  ) throws {
    let failed = service.onlyFailure { [self] (result: Result<[[UInt8]], ServiceError>) in
      if case .failure(let error) = result { fail(error, respond) }
    }
    try service.onEngine(call, lane: lane, failed) { [self] in
      let (messages, isFinished) = try state.withLock { state in
        let slice = lane == .reads ? QueryCursor.shortSlice : QueryCursor.longSlice
        return (try pull(maxBytes, slice, &state), state.isFinished)
      }
      guard messages.isEmpty, !isFinished else { return respond(.success(messages)) }
      try readOn(maxBytes, .scans, respond)
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

  private func pull(
    _ maxBytes: Int,
    _ slice: Int,
    _ state: inout State
  ) throws -> [[UInt8]] {
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
    let chunk = try cursor.next(
      maxDocuments: Self.documentsPerPull,
      maxBytes: maxBytes,
      slice: slice
    )
    guard lease?.resize(to: cursor.heldBytes) != false else { throw ByteLedger.exhausted }
    try append(chunk, to: &messages, &state)
    return messages
  }

  private func append(
    _ chunk: QueryChunk,
    to messages: inout [[UInt8]],
    _ state: inout State
  ) throws {
    state.isFinished = chunk.isDone
    let metrics = chunk.isDone && explain == .analyze ? try finalMetrics() : nil
    var skipped = chunk.skipped
    for (index, document) in chunk.documents.enumerated() {
      let response = RunQueryResponse(
        document: document,
        readTime: chunk.readTime,
        skippedResults: skipped,
        explain: index == chunk.documents.count - 1 ? metrics : nil,
        mask: mask
      )
      messages.append(response.encoded())
      skipped = 0
    }
    if !chunk.documents.isEmpty { return state.toldReadTime = true }
    guard metrics != nil || skipped > 0 || (chunk.isDone && !state.toldReadTime) else { return }
    state.toldReadTime = true
    let last = RunQueryResponse(
      readTime: chunk.readTime,
      skippedResults: skipped,
      explain: metrics
    )
    messages.append(last.encoded())
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
