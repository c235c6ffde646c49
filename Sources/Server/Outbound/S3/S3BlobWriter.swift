import ObjectStorage

/// Writes one unfinished blob of a bucket: full segments as they fill, the last one when it has to be durable.
actor S3BlobWriter: BlobWriter {
  private let store: S3BlobStore
  private let id: BlobID
  /// Full ones, which are stored.
  private var segments: Int
  /// The bytes of the last segment.
  private var tail: [UInt8]
  private var isTailStored: Bool

  init(_ store: S3BlobStore, _ id: BlobID, segments: Int = 0, tail: [UInt8] = []) {
    self.store = store
    self.id = id
    self.segments = segments
    self.tail = tail
    isTailStored = true
  }

  func write(_ bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(store.segmentBytes - tail.count)
      tail += part
      isTailStored = false
      rest = rest.dropFirst(part.count)
      if tail.count == store.segmentBytes { try await storeSegment() }
    }
  }

  private func storeSegment() async throws {
    // A blob of one segment may need no segment.
    let number = segments
    let bytes = tail
    try await store.put(store.segment(id, number), bytes)
    segments = number + 1
    tail = []
    isTailStored = true
  }

  func persist() async throws -> BlobProgress {
    if !isTailStored {
      try await store.put(store.segment(id, segments), tail)
      isTailStored = true
    }
    return BlobProgress(offset: Int64(segments) * Int64(store.segmentBytes) + Int64(tail.count))
  }

  func finish() async throws {
    if segments == 0 {
      try await store.put(store.finished(id), tail)
    } else {
      let count = tail.isEmpty ? segments : segments + 1
      if !tail.isEmpty, !isTailStored { _ = try await persist() }
      try await store.join(count, of: id)
    }
    try await store.removeSegments(id)
  }

  func close() async {}
}

/// Reads a blob of a bucket, each time with a request for a range.
final class S3BlobReader: BlobReader {
  let size: Int64
  private let store: S3BlobStore
  /// The key that has an offset's byte, and the offset of its first.
  private let locate: @Sendable (Int64) -> (key: String, start: Int64)

  init(
    _ store: S3BlobStore,
    size: Int64,
    locate: @escaping @Sendable (Int64) -> (key: String, start: Int64)
  ) {
    self.store = store
    self.size = size
    self.locate = locate
  }

  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    let end = min(offset + Int64(count), size)
    var bytes: [UInt8] = []
    var position = offset
    while position < end {
      let (key, start) = locate(position)
      let last =
        start == 0 && key == locate(end - 1).key ? end : min(end, start + Int64(store.segmentBytes))
      let part = try await store.get(key, (position - start)..<(last - start))
      guard part.count == Int(last - position) else {
        throw StorageError(.corrupt, "The bytes of an object end too early.")
      }
      bytes += part
      position = last
    }
    return bytes
  }
}
