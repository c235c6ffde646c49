import Access
import BaseRuntime
import BaseStatus
import DocumentStore
import FirestoreModel
import FirestoreWire
import Pipelines
import Synchronization

/// A pipeline's results, read as fast as the client takes them.
///
/// The first message has the pipeline's new transaction and its read time; the explanation comes
/// with the last one.
final class PipelineStream: ResponseStream {
  private static let rowsPerMessage = 300
  /// The bytes of fields that are read before anybody asks.
  private static let firstBytes = 1 << 20

  private let options: PipelineOptions
  private let newTransaction: TransactionID?
  private let database: Database
  private let call: Call
  private let service: FirestoreService
  private let state: Mutex<State>
  /// The memory that the pipeline keeps between pulls.
  private let lease: ByteLease?

  private struct State {
    let run: PipelineRun
    var writer: PipelineWriter?
    var isScanning = false
    var hasBegun = false
    var isFinished = false
    /// Messages that were read before anybody asked.
    var ready: [[UInt8]] = []
  }

  init(
    _ run: PipelineRun,
    _ options: PipelineOptions,
    _ newTransaction: TransactionID?,
    _ database: Database,
    call: Call,
    service: FirestoreService
  ) {
    self.options = options
    self.newTransaction = newTransaction
    self.database = database
    self.call = call
    self.service = service
    let writer =
      run.plan.isWriting
      ? PipelineWriter(run, database) { try call.checkWanted() } : nil
    state = Mutex(State(run: run, writer: writer))
    lease = call.context.account.flatMap { ByteLease($0, for: .response) }
  }

  /// Reads what a short slice finds on the engine thread that planned the pipeline, which saves the way to another one.
  ///
  /// A pipeline that writes, or is only planned, begins when it is asked to.
  func readFirst() throws {
    try state.withLock { state in
      guard state.writer == nil, options.explain != .plan else { return }
      state.isScanning = true
      state.ready = try pull(Self.firstBytes, PipelineRun.shortSlice, &state)
    }
  }

  func next(
    maxBytes: Int,
    respond: @escaping @Sendable (Result<[[UInt8]], ServiceError>) -> Void
  ) {
    let (ready, isFinished) = state.withLock { state in
      defer { state.ready = [] }
      return (state.ready, state.isFinished)
    }
    if !ready.isEmpty || isFinished { return respond(.success(ready)) }
    do {
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
    if let newTransaction { try? database.rollback(newTransaction) }
    respond(.failure(error))
  }

  /// Runs one slice on an engine thread, and the next ones behind the queued work of others there,
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
        let slice = lane == .reads ? PipelineRun.shortSlice : PipelineRun.longSlice
        return (try pull(maxBytes, slice, &state), state.isFinished)
      }
      guard messages.isEmpty, !isFinished else { return respond(.success(messages)) }
      try readOn(maxBytes, .scans, respond)
    }
  }

  private func pull(_ maxBytes: Int, _ slice: Int, _ state: inout State) throws -> [[UInt8]] {
    do {
      if options.explain == .plan {
        guard try state.run.authorize(slice: slice) else { return [] }
        state.isFinished = true
        return [message([], &state, explanation: state.run.explanation(isFinished: false))]
      }
      let chunk = try state.run.next(
        maxRows: Self.rowsPerMessage,
        maxBytes: maxBytes,
        slice: slice
      )
      guard lease?.resize(to: state.run.heldBytes) != false else { throw ByteLedger.exhausted }
      var rows = chunk.rows
      if state.writer != nil {
        for row in rows {
          try call.checkWanted()
          try state.writer?.write(row)
        }
        rows = chunk.isDone ? [state.writer?.summary].compactMap { $0 } : []
      }
      state.isFinished = chunk.isDone
      if rows.isEmpty, !chunk.isDone { return [] }
      let isExplained = chunk.isDone && options.explain == .analyze
      let text = isExplained ? state.run.explanation(isFinished: true) : nil
      guard !rows.isEmpty || !state.hasBegun || text != nil else { return [] }
      return [message(rows, &state, explanation: text)]
    } catch {
      state.isFinished = true
      throw explained(error, state)
    }
  }

  private func message(
    _ rows: [Row],
    _ state: inout State,
    explanation: String?
  ) -> [UInt8] {
    defer { state.hasBegun = true }
    return ExecutePipelineResponse(
      transaction: state.hasBegun ? nil : newTransaction?.bytes,
      results: rows.map { PipelineResult($0) },
      executionTime: state.run.version,
      explanation: explanation
    ).encoded()
  }

  /// The error with the pipeline's resource use, if requested.
  private func explained(_ error: any Error, _ state: State) -> any Error {
    guard options.explain == .analyze, let known = error as? ServiceError,
      known.code == .resourceExhausted
    else { return error }
    return ServiceError(
      known.code,
      known.message,
      cause: PipelineExplanation(state.run.explanation(isFinished: true))
    )
  }
}
