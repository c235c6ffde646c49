import FirestoreSync
import Foundation
import Locking

/// Snapshots on their way to a loop that reads them.
///
/// While the loop is slow at most `capacity` snapshots wait; of more the newest two become one, so that the loop
/// still learns of every change. The listener ends with the feed.
final class SnapshotFeed<Snapshot: Sendable>: Sendable {
  private struct State {
    var waiting: [Snapshot] = []
    var end: Result<Void, any Error>?
    var reader: CheckedContinuation<Snapshot?, any Error>?
    var registration: (any ListenerRegistration)?
  }

  private let capacity: Int
  private let merge: @Sendable (_ earlier: Snapshot, _ later: Snapshot) -> Snapshot
  private let state = Lock(State())

  init(
    capacity: Int = 64,
    merging merge: @escaping @Sendable (_ earlier: Snapshot, _ later: Snapshot) -> Snapshot
  ) {
    self.capacity = capacity
    self.merge = merge
  }

  deinit { state.withLock { $0.registration }?.remove() }

  /// Takes the listener that feeds this.
  func follow(_ registration: any ListenerRegistration) {
    state.withLock { $0.registration = registration }
  }

  /// Takes the listener's event.
  func take(_ result: Result<Snapshot, any Error>) {
    let reader = state.withLock { state -> CheckedContinuation<Snapshot?, any Error>? in
      guard state.end == nil else { return nil }
      if let reader = state.reader {
        state.reader = nil
        if case .failure(let error) = result { state.end = .failure(error) }
        return reader
      }
      switch result {
      case .failure(let error): state.end = .failure(error)
      case .success(let snapshot):
        if state.waiting.count == capacity, let last = state.waiting.popLast() {
          state.waiting.append(merge(last, snapshot))
        } else {
          state.waiting.append(snapshot)
        }
      }
      return nil
    }
    reader?.resume(with: result.map(Optional.some))
  }

  /// Ends the loop when it has read the queued events: the client has ended.
  func finish() {
    let reader = state.withLock { state -> CheckedContinuation<Snapshot?, any Error>? in
      if state.end == nil { state.end = .success(()) }
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume(returning: nil)
  }

  /// The next snapshot; nil after the loop was cancelled or the client has ended.
  ///
  /// Throws the listener's error once.
  func next() async throws -> Snapshot? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let ready: Result<Snapshot?, any Error>? = state.withLock { state in
          if !state.waiting.isEmpty { return .success(state.waiting.removeFirst()) }
          if let end = state.end {
            state.end = .success(())
            return end.map { nil }
          }
          state.reader = continuation
          return nil
        }
        if let ready { continuation.resume(with: ready) }
      }
    } onCancel: {
      cancel()
    }
  }

  private func cancel() {
    let (reader, registration) = state.withLock { state in
      defer {
        state.reader = nil
        state.waiting = []
        state.end = .success(())
      }
      return (state.reader, state.registration)
    }
    registration?.remove()
    reader?.resume(returning: nil)
  }
}
