import FirebaseFirestore
import Foundation
import Synchronization

/// A listener's snapshots in their order, one reader at a time.
final class SnapshotQueue: Sendable {
  private struct State {
    var waiting: [Result<QuerySnapshot, any Error>] = []
    var reader: CheckedContinuation<QuerySnapshot, any Error>?
  }

  private let state = Mutex(State())

  /// Listens with changes of metadata.
  init(_ query: Query) {
    query.addSnapshotListener(includeMetadataChanges: true) { [weak self] snapshot, error in
      guard let self else { return }
      if let snapshot { take(.success(snapshot)) }
      if let error { take(.failure(error)) }
    }
  }

  private func take(_ result: Result<QuerySnapshot, any Error>) {
    let reader = state.withLock { state in
      defer { state.reader = nil }
      if state.reader == nil { state.waiting.append(result) }
      return state.reader
    }
    reader?.resume(with: result)
  }

  private func next() async throws -> QuerySnapshot {
    try await withCheckedThrowingContinuation { continuation in
      let ready: Result<QuerySnapshot, any Error>? = state.withLock { state in
        guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
        state.reader = continuation
        return nil
      }
      if let ready { continuation.resume(with: ready) }
    }
  }

  /// Drops snapshots up to the first that passes.
  func first(where passes: @Sendable (QuerySnapshot) -> Bool) async throws {
    while !passes(try await next()) {}
  }
}

/// The end of one write.
final class CompletionFlag: Sendable {
  private let stream: AsyncThrowingStream<Void, any Error>
  private let continuation: AsyncThrowingStream<Void, any Error>.Continuation

  init() {
    (stream, continuation) = AsyncThrowingStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  func finish(_ error: (any Error)?) { continuation.finish(throwing: error) }

  func wait() async throws { for try await _ in stream {} }
}
