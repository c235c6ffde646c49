import Synchronization

/// The hashes of the durable bytes of uploads, so that these continue without reading their bytes
/// again.
///
/// Some hundred bytes an upload, for as many uploads as may be unfinished. Any thread may call.
final class UploadHashes: Sendable {
  private struct State {
    var hashers: [UploadID: ContentHasher] = [:]
    /// Bytes that were read again for want of these.
    var computedAgain: Int64 = 0
  }

  private let limit: Int
  private let state = Mutex(State())

  init(limit: Int = Int(UploadLimits().all.count)) { self.limit = limit }

  /// Stores the hashes of an upload's bytes, up to its durable end; drops those of any other if
  /// there are too many.
  func keep(_ hasher: ContentHasher, of id: UploadID) {
    state.withLock { state in
      if state.hashers.count >= limit, state.hashers[id] == nil { _ = state.hashers.popFirst() }
      state.hashers[id] = hasher
    }
  }

  /// The hashes of an upload's first bytes; nil where those of so many are not known.
  func hasher(of id: UploadID, upTo end: Int64) -> ContentHasher? {
    state.withLock { $0.hashers[id] }.flatMap { $0.size == end ? $0 : nil }
  }

  func remove(_ id: UploadID) { state.withLock { $0.hashers[id] = nil } }

  func noteComputedAgain(_ bytes: Int) {
    state.withLock { $0.computedAgain += Int64(bytes) }
  }

  var computedAgain: Int64 { state.withLock { $0.computedAgain } }
}

extension ObjectStorage {
  /// Drops the memory of an upload that has ended.
  func forgetSession(_ id: UploadID) {
    sessions.remove(id)
    uploadHashes.remove(id)
  }
}
