import BaseText
import Synchronization

/// The resumable uploads in memory: those with a request in progress, and some recent ones.
final class UploadSessions: Sendable {
  private struct Known {
    weak var session: UploadSession?
  }

  private struct State {
    var known: [UploadID: Known] = [:]
    /// Those that are kept between requests, in the order of their last use.
    var kept: [UploadSession] = []
  }

  /// So many are kept between requests, each with its hashes and its open file.
  private static let limit = 128

  private let state = Mutex(State())

  /// The session of a record, the same for all callers while it is in memory.
  func session(_ id: UploadID, make: () -> UploadSession) -> UploadSession {
    state.withLock { state in
      let session = state.known[id]?.session ?? make()
      state.known[id] = Known(session: session)
      state.kept.removeAll { $0 === session }
      state.kept.append(session)
      if state.kept.count > Self.limit {
        state.kept.removeFirst()
        state.known = state.known.filter { $0.value.session != nil }
      }
      return session
    }
  }

  func known(_ id: UploadID) -> UploadSession? { state.withLock { $0.known[id]?.session } }

  func remove(_ id: UploadID) {
    state.withLock { state in
      state.known[id] = nil
      state.kept.removeAll { $0.id == id }
    }
  }

  var count: Int { state.withLock { $0.kept.count } }
}

extension Bucket {
  /// Begins a resumable upload.
  ///
  /// - Parameters:
  ///   - initiator: The identity of the caller, in the API's own form; the session hands it back.
  ///   - caller: The caller for whom it counts, with any credentials; nil for administrators.
  ///   - network: The network of the caller; nil for administrators.
  package func beginSession(
    _ new: NewObject,
    initiator: [UInt8],
    caller: Text? = nil,
    network: Text? = nil
  ) async throws -> UploadSession {
    try await prepare(new)
    let now = storage.configuration.clock.now()
    let record = UploadRecord(
      id: .random(),
      bucket: name,
      project: stored.project,
      bucketNumber: stored.number,
      new: new,
      blob: .random(),
      begun: now,
      end: now + storage.configuration.uploadLifetime,
      initiator: initiator,
      caller: caller,
      network: network,
      counted: new.expected.size ?? 0,
      progress: BlobProgress(offset: 0),
      generation: nil
    )
    let limits = storage.configuration.uploadLimits
    try await storage.write { [stored] group in
      _ = try group.bucket(stored)
      try group.count(record, uploads: 1, bytes: record.counted, limits: limits)
      try group.put(record)
      try group.putMarker(StorageKey.uploadEnd(record.end, record.id))
    }
    let storage = storage
    return storage.sessions.session(record.id) { UploadSession(storage, record, isNew: true) }
  }
}

extension ObjectStorage {
  /// The resumable upload of that id; throws `notFound` where there is none, it has expired, or its bucket is gone.
  ///
  /// Any holder of the id may continue it; to finish it takes the bucket of a permit of its
  /// initiator.
  package func session(_ id: UploadID) async throws -> UploadSession {
    let session = try await anySession(id)
    // An upload is into the bucket in which it was begun, not into one that has its name since.
    guard try await storedBucket(session.bucket)?.number == session.bucketNumber else {
      throw StorageError.noUpload
    }
    return session
  }

  private func anySession(_ id: UploadID) async throws -> UploadSession {
    if let known = sessions.known(id) { return known }
    guard let record = try await read({ try $0.upload(id) }),
      record.end > configuration.clock.now()
    else { throw StorageError.noUpload }
    return sessions.session(id) { UploadSession(self, record) }
  }
}
