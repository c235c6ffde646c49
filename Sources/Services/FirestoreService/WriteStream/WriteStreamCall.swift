import Access
import BaseStatus
import DocumentStore
import FirestoreModel
import FirestoreWire
import Synchronization

/// A Write stream: batches of writes, each one atomic commit, in the client's order.
///
/// The client opens with the database's name and nothing else; then every message is a batch, or
/// without writes only asks for a token. One batch is in flight at a time, since the next may
/// depend on it and must not be applied if it fails. Later batches wait here, up to a bound, and
/// get their responses in order. A batch is answered when it is durable.
///
/// A failure ends the stream after the responses before it: the client takes its code as the result
/// of its oldest pending batch. Streams cannot be resumed; no client of Google's tries to.
///
/// The transport calls from its event loop, the store from its threads; `isBusy` hands the work from
/// one to the other, so that there is one order of answers.
final class WriteStreamCall: StreamCall {
  /// Commits a batch and answers once.
  typealias Commit =
    @Sendable (
      WriteStreamBatch, @escaping @Sendable (Result<CommitOutcome, ServiceError>) -> Void
    ) -> Void

  /// The step that one message asks for.
  private enum Step: Sendable {
    case open
    case batch(WriteStreamBatch)
    /// A message without writes.
    case token
    case fail(ServiceError)
    /// The client sends no more.
    case end
  }

  private struct State {
    var waiting: [(step: Step, bytes: Int)] = []
    var waitingBytes = 0
    /// A thread is processing the queue, or a commit or the client's reading will start one.
    var isBusy = false
    var isPaused = false
    /// The work waits for the client to read.
    var isStalled = false
    /// The client has read since the last response.
    var hasResumed = false
    /// Nothing is taken or answered any more.
    var isOver = false
    var answers: UInt64 = 0
  }

  /// The bounds of waiting messages, and of their bytes, from which the client is not read any more.
  private static let maximumWaiting = 32
  private static let maximumWaitingBytes = 4 << 20

  private let streamID: String
  private let responses: any StreamResponses
  private let commit: Commit
  private let state = Mutex(State())
  /// The stream's database, from its first message on; only the transport's calls touch it.
  private let database = Mutex<DatabaseID?>(nil)

  init(streamID: String, responses: any StreamResponses, commit: @escaping Commit) {
    self.streamID = streamID
    self.responses = responses
    self.commit = commit
  }

  // MARK: From the transport

  func receive(_ message: [UInt8]) {
    let step: Step
    do throws(ServiceError) {
      step = try read(message)
    } catch {
      step = .fail(error)
    }
    take(step, bytes: message.count)
  }

  func finishRequests() { take(.end, bytes: 0) }

  func cancel() {
    state.withLock { state in
      state.isOver = true
      state.waiting = []
    }
  }

  func resumeSending() {
    let goesOn = state.withLock { state in
      state.hasResumed = !state.isStalled
      defer { state.isStalled = false }
      return state.isStalled
    }
    if goesOn { work() }
  }

  func drain() -> Bool {
    take(.fail(ServiceError(.unavailable, "The server is stopping.")), bytes: 0)
    return true
  }

  // MARK: Requests

  private func read(_ message: [UInt8]) throws(ServiceError) -> Step {
    try WriteLimits.checkSize(message.count)
    let request = try WriteStreamRequest(decoding: message)
    guard let database = database.withLock({ $0 }) else {
      let database = try request.opening()
      self.database.withLock { $0 = database }
      return .open
    }
    let batch = try request.batch(in: database)
    return batch.writes.isEmpty ? .token : .batch(batch)
  }

  private func take(_ step: Step, bytes: Int) {
    let (isIdle, pauses) = state.withLock { state -> (Bool, Bool) in
      guard !state.isOver else { return (false, false) }
      state.waiting.append((step, bytes))
      state.waitingBytes += bytes
      defer { state.isBusy = true }
      guard state.isBusy, !state.isPaused, Self.isFull(state) else { return (!state.isBusy, false) }
      state.isPaused = true
      return (false, true)
    }
    if pauses {
      responses.setReading(false)
      // The work may have made room, and said so, before this thread came to say the opposite.
      if !state.withLock({ $0.isPaused }) { responses.setReading(true) }
    }
    if isIdle { work() }
  }

  private static func isFull(_ state: borrowing State) -> Bool {
    state.waiting.count >= maximumWaiting || state.waitingBytes >= maximumWaitingBytes
  }

  // MARK: Work

  /// Processes the queue until a commit is in flight or the client must read first.
  private func work() {
    while let step = next() {
      switch step {
      case .open:
        guard answer({ .init(streamID: streamID, streamToken: $0) }) else { return }
      case .token:
        guard answer({ .init(streamToken: $0) }) else { return }
      case .batch(let batch):
        return commit(batch) { [self] in committed($0) }
      case .fail(let error):
        return finish(error)
      case .end:
        return finish(nil)
      }
    }
  }

  private func committed(_ result: Result<CommitOutcome, ServiceError>) {
    switch result {
    case .success(let outcome):
      let mayGoOn = answer { token in
        .init(streamToken: token, results: outcome.results, commitTime: outcome.version)
      }
      if mayGoOn { work() }
    case .failure(let error):
      finish(error)
    }
  }

  private func next() -> Step? {
    let (step, hasRoom) = state.withLock { state -> (Step?, Bool) in
      guard !state.isOver, !state.waiting.isEmpty else {
        state.isBusy = false
        return (nil, false)
      }
      let (step, bytes) = state.waiting.removeFirst()
      state.waitingBytes -= bytes
      guard state.isPaused, state.waiting.count <= Self.maximumWaiting / 2,
        state.waitingBytes <= Self.maximumWaitingBytes / 2
      else { return (step, false) }
      state.isPaused = false
      return (step, true)
    }
    if hasRoom { responses.setReading(true) }
    return step
  }

  /// Sends a response with the next token; false if work continues when the client has read.
  private func answer(_ response: ([UInt8]) -> WriteStreamResponse) -> Bool {
    let token = state.withLock { state -> [UInt8]? in
      guard !state.isOver else { return nil }
      state.answers += 1
      state.hasResumed = false
      return withUnsafeBytes(of: state.answers.bigEndian) { Array($0) }
    }
    guard let token else { return true }
    if responses.send([response(token).encoded()]) { return true }
    return state.withLock { state in
      state.isStalled = !state.hasResumed
      return state.hasResumed
    }
  }

  private func finish(_ error: ServiceError?) {
    let isFirst = state.withLock { state in
      defer {
        state.isOver = true
        state.waiting = []
      }
      return !state.isOver
    }
    if isFirst { responses.finish(error) }
  }
}

/// A batch of a Write stream.
struct WriteStreamBatch: Sendable, Hashable {
  let database: DatabaseID
  let writes: [Write]
  /// The client's own name for the batch, as `IdempotencyLabel` describes.
  let idempotencyKey: String?
}

extension WriteStreamRequest {
  /// The database that a stream's first message names.
  fileprivate func opening() throws(ServiceError) -> DatabaseID {
    guard let database else {
      throw .invalidArgument("'database' must be set on an initial write request.")
    }
    guard writes.isEmpty else {
      throw .invalidArgument("'writes' must not be set on an initial write request.")
    }
    guard streamID.isEmpty else {
      throw .invalidArgument("Resuming streams is not supported, do not set stream ID.")
    }
    guard streamToken.isEmpty else {
      throw .invalidArgument(
        "Resuming streams is not supported, 'stream_token' must not be set on an initial write "
          + "request."
      )
    }
    return database
  }

  /// The batch of a later message of a stream on that database.
  fileprivate func batch(in expected: DatabaseID) throws(ServiceError) -> WriteStreamBatch {
    if let database, database != expected {
      throw .invalidArgument(
        "Request specified a database (\(database.path)) that did not match the expected database "
          + "(\(expected.path))"
      )
    }
    for write in writes { try write.name.check(isIn: expected) }
    let key = try IdempotencyLabel.key(in: labels)
    return WriteStreamBatch(database: expected, writes: writes, idempotencyKey: key)
  }
}
