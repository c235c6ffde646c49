import FirebaseCore
import Foundation
import Locking

/// An upload or a download.
///
/// From `unknown` a task goes to `resume`, from there to `progress` with the first bytes, and from both to `pause` and
/// back; every one of them ends in `success` or `failure`, once. All changes are made under one lock, in which observers'
/// calls are put on the queue too, so that these come in the order of the changes.
///
/// Unchecked because it has subclasses; all its members are constants.
public class StorageTask: NSObject, @unchecked Sendable {
  struct Observer {
    let status: StorageTaskStatus
    let callback: AppCallback<StorageTaskSnapshot>
  }

  struct State {
    var status = StorageTaskStatus.unknown
    var progress: TransferProgress?
    var metadata: StorageMetadata?
    var error: StorageError?
    var data: Data?
    var observers: [String: Observer] = [:]
    /// In the order in which they were added.
    var handles: [String] = []
    var waiters: [@Sendable (Result<TransferOutcome, any Error>) -> Void] = []
    /// The current run, or the last one.
    var run: Task<Void, Never>?
    /// The number of the run whose reports count.
    var epoch = 0
  }

  /// The callbacks that a task calls and releases at its end.
  private struct Ended {
    let waiters: [@Sendable (Result<TransferOutcome, any Error>) -> Void]
    let observers: [String: Observer]
  }

  /// The object.
  let reference: StorageReference
  private let transfer: any Transfer
  let state: Lock<State>

  init(_ reference: StorageReference, _ transfer: any Transfer, metadata: StorageMetadata?) {
    self.reference = reference
    self.transfer = transfer
    var state = State()
    state.metadata = metadata
    self.state = Lock(state)
  }

  /// The task at this moment.
  public var snapshot: StorageTaskSnapshot { state.withLock { snapshot(of: $0) } }

  func snapshot(of state: borrowing State) -> StorageTaskSnapshot {
    StorageTaskSnapshot(
      task: self,
      metadata: state.metadata,
      progress: state.progress,
      error: state.error?.object,
      status: state.status
    )
  }

  // MARK: Steering

  /// Starts, or resumes after a pause; does nothing if the task runs or has ended.
  func start(from expected: StorageTaskStatus) {
    reference.storage.keep(self)
    let hasBegun = state.withLock { state in
      guard state.status == expected else { return false }
      state.epoch += 1
      let (epoch, last) = (state.epoch, state.run)
      state.run = Task {
        // One run at a time owns the state of a transfer.
        await last?.value
        await self.run(epoch)
      }
      change(to: .resume, &state)
      return true
    }
    if !hasBegun, hasEnded { reference.storage.release(self) }
  }

  /// Ends the current run; its position is kept.
  func interrupt() {
    state.withLock { state in
      guard state.status == .resume || state.status == .progress else { return }
      state.epoch += 1
      state.run?.cancel()
      change(to: .pause, &state)
    }
  }

  /// Fails with `cancelled`, and removes the data on the server and the disk.
  func abort() {
    let hasEnded = finish(.failure(.cancelled))
    guard hasEnded else { return }
    state.withLock { state in
      let last = state.run
      last?.cancel()
      state.run = Task {
        await last?.value
        await self.transfer.abandon()
      }
    }
  }

  private var hasEnded: Bool {
    state.withLock { $0.status == .success || $0.status == .failure }
  }

  private func run(_ epoch: Int) async {
    guard !Task.isCancelled, !hasEnded else { return }
    do {
      let outcome = try await transfer.run { progress in self.note(progress, epoch) }
      // A pause that came too late to stop it does not undo it.
      finish(.success(outcome))
    } catch {
      if finish(.failure(StorageError(error)), epoch) { await transfer.abandon() }
    }
  }

  private func note(_ progress: TransferProgress, _ epoch: Int) {
    state.withLock { state in
      guard state.epoch == epoch, state.status == .resume || state.status == .progress,
        state.progress != progress
      else { return }
      state.progress = progress
      change(to: .progress, &state)
    }
  }

  /// Ends the task, unless it has ended or another run counts.
  @discardableResult
  private func finish(
    _ result: Result<TransferOutcome, StorageError>,
    _ epoch: Int? = nil
  ) -> Bool {
    // Observers are released outside the lock: what they hold may use the task in its `deinit`.
    let ended = state.withLock { state -> Ended? in
      guard epoch == nil || epoch == state.epoch, state.status != .success,
        state.status != .failure
      else { return nil }
      state.epoch += 1
      switch result {
      case .success(let outcome):
        state.metadata = outcome.metadata ?? state.metadata
        state.data = outcome.data
        change(to: .success, &state)
      case .failure(let error):
        state.error = error
        change(to: .failure, &state)
      }
      let ended = Ended(waiters: state.waiters, observers: state.observers)
      state.waiters = []
      state.observers = [:]
      state.handles = []
      return ended
    }
    guard let ended else { return false }
    for waiter in ended.waiters { waiter(result.mapError { $0.object }) }
    reference.storage.release(self)
    return true
  }

  private func change(to status: StorageTaskStatus, _ state: inout State) {
    state.status = status
    let callbacks = state.handles.compactMap { handle in
      state.observers[handle].flatMap { $0.status == status ? $0.callback : nil }
    }
    guard !callbacks.isEmpty else { return }
    let snapshot = snapshot(of: state)
    let queue = reference.storage.callbackQueue
    for callback in callbacks { queue.async { callback.call(snapshot) } }
  }

  // MARK: The end

  /// Calls the waiter with what came of the task, on any thread, once.
  func whenFinished(_ waiter: @escaping @Sendable (Result<TransferOutcome, any Error>) -> Void) {
    let known = state.withLock { state -> Result<TransferOutcome, any Error>? in
      switch state.status {
      case .success: return .success(TransferOutcome(metadata: state.metadata, data: state.data))
      case .failure: return .failure((state.error ?? .cancelled).object)
      case .unknown, .resume, .progress, .pause:
        state.waiters.append(waiter)
        return nil
      }
    }
    if let known { waiter(known) }
  }

  /// Returns the outcome of the task, which is cancelled with the caller.
  func outcome() async throws -> TransferOutcome {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        whenFinished { continuation.resume(with: $0) }
      }
    } onCancel: {
      abort()
    }
  }
}
