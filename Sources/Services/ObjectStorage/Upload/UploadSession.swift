import BaseText

/// The progress of a resumable upload.
package enum UploadStatus: Sendable, Hashable {
  /// This many bytes are durable; the client continues there.
  case active(received: Int64)
  case finished(StoredObject)
  /// The client cancelled it.
  case cancelled
}

/// A resumable upload: bytes that arrive in several requests, over restarts.
///
/// The bytes of a request are durable when its response is sent, and those of a request that was
/// cut off are kept. Of two simultaneous requests, the later one counts: the earlier is refused at
/// its next part. Hashes of the durable bytes are kept in memory, also when the session is not
/// (`UploadHashes`); after a restart they are computed again from the stored bytes.
package actor UploadSession {
  /// Names the upload.
  package nonisolated let id: UploadID
  /// The object to be stored.
  package nonisolated let object: NewObject
  /// The bucket that the object goes to.
  package nonisolated let bucket: BucketName
  /// Distinguishes the bucket from others of its name.
  nonisolated let bucketNumber: Int64
  /// The id of the project that had the bucket when the upload began.
  package nonisolated let project: Text
  /// The identity of the caller who began it, in the API's own form.
  package nonisolated let initiator: [UInt8]

  private let storage: ObjectStorage
  private var record: UploadRecord
  private var sink: ContentSink?
  /// Rises with each request; an earlier one's parts are refused.
  private var epoch = 0
  private var isBusy = false
  private let room: RoomGrant
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isOver = false
  /// True unless there is nothing of the blob and no commit that names it.
  private var mayHaveBlob: Bool

  /// - Parameter isNew: True if the upload begins with this session.
  init(_ storage: ObjectStorage, _ record: UploadRecord, isNew: Bool = false) {
    self.storage = storage
    self.record = record
    mayHaveBlob = !isNew
    room = RoomGrant(storage.room)
    id = record.id
    object = record.new
    bucket = record.bucket
    bucketNumber = record.bucketNumber
    project = record.project
    initiator = record.initiator
  }

  /// The most bytes that the upload may still get; nil where its size is not known.
  package var expectedSize: Int64? { object.expected.size }

  /// True if more bytes may come.
  package var isOpen: Bool { !isOver && record.isOpen }

  /// True once the upload has become an object.
  package var isFinished: Bool { record.generation != nil }

  /// For so many bytes more an upload of unknown size counts whenever it has reached those that it counts for.
  private static let countedStep: Int64 = 8 << 20

  /// Returns the progress of the upload; ends a request that is still bringing bytes.
  package func status(_ bucket: Bucket) async throws -> UploadStatus {
    epoch += 1
    return try await exclusively {
      if let generation = record.generation { return try await finished(generation, bucket) }
      if record.isCancelled { return .cancelled }
      try checkOpen()
      try await persist()
      return .active(received: record.progress.offset)
    }
  }

  /// Takes bytes that begin at an offset; those that are there already are passed over.
  ///
  /// The bytes that came before an error, or before the client went away, are kept.
  ///
  /// - Parameter isLast: True if `finish` follows, which makes all durable; the upload ends where
  ///   the bytes do. If another request has finished the upload, whose response may have been lost,
  ///   the bytes are passed over.
  package func receive(
    at offset: Int64,
    isLast: Bool = false,
    _ parts: some AsyncSequence<[UInt8], any Error> & Sendable
  ) async throws -> UploadStatus {
    epoch += 1
    let mine = epoch
    let start = try await exclusively {
      isLast && isFinished ? nil : try await begin(at: offset)
    }
    guard let start else { return .active(received: offset) }
    var surplus = start - offset
    var end = offset
    do {
      for try await part in parts {
        end += Int64(part.count)
        let isOld = surplus >= Int64(part.count)
        let bytes = isOld ? [] : surplus == 0 ? part : Array(part.dropFirst(Int(surplus)))
        surplus = isOld ? surplus - Int64(part.count) : 0
        guard !bytes.isEmpty else { continue }
        try await exclusively { try await take(bytes, mine) }
      }
    } catch {
      guard epoch == mine else { throw error }
      try await exclusively { try await persist() }
      throw error
    }
    return try await exclusively {
      if isLast && isFinished { return .active(received: end) }
      try checkCurrent(mine)
      if isLast {
        let received = sink?.size ?? record.progress.offset
        if end == received { return .active(received: received) }
        try await persist()
        let message = "The upload has \(received) bytes, but its last request ends at \(end)."
        throw StorageError(.invalid, message)
      }
      try await persist()
      return .active(received: record.progress.offset)
    }
  }

  /// Makes the object visible, with the client's current statements about the content; a finished
  /// upload responds as the first time.
  package func finish(
    _ bucket: Bucket,
    size: Int64? = nil,
    _ expected: ExpectedContent = ExpectedContent()
  ) async throws -> StoredObject {
    try await exclusively {
      if let generation = record.generation {
        guard case .finished(let object) = try await finished(generation, bucket) else {
          throw StorageError.noUpload
        }
        return object
      }
      try checkOpen()
      var sink = try await openSink()
      self.sink = nil
      try await sink.flush()
      self.sink = sink
      var all = expected
      all.size = size ?? expected.size
      guard all.size ?? sink.size == sink.size, object.expected.size ?? sink.size == sink.size
      else {
        throw StorageError(
          .invalid,
          "The upload is not complete: \(sink.size) bytes were received."
        )
      }
      return try await land(sink, all, bucket)
    }
  }

  /// Cancels the upload and discards its bytes; it stays known as cancelled until its time is over.
  package func cancel() async throws {
    epoch += 1
    try await exclusively {
      guard isOpen else { return }
      try await giveUp(isRemembered: true)
    }
  }

  /// Ends the upload and forgets it.
  package func end() async throws {
    epoch += 1
    try await exclusively {
      guard isOpen else { return }
      try await giveUp()
    }
  }

  // MARK: Steps, one at a time

  private func exclusively<R>(_ body: () async throws -> R) async throws -> R {
    while isBusy { await withCheckedContinuation { waiting.append($0) } }
    isBusy = true
    defer {
      isBusy = false
      if !waiting.isEmpty { waiting.removeFirst().resume() }
    }
    return try await body()
  }

  private func checkOpen() throws(StorageError) {
    guard !record.isCancelled else { throw .cancelledUpload }
    guard isOpen else { throw .noUpload }
  }

  private func checkCurrent(_ mine: Int) throws(StorageError) {
    guard epoch == mine else {
      throw StorageError(.unavailable, "Another request is continuing this upload.")
    }
    try checkOpen()
  }

  /// Begins to receive, and returns the offset of the next byte.
  private func begin(at offset: Int64) async throws -> Int64 {
    try checkOpen()
    let sink = try await openSink()
    self.sink = sink
    guard offset <= sink.size else {
      throw StorageError(
        .invalid,
        "The upload must continue at byte \(sink.size), not at \(offset)."
      )
    }
    try await storage.requireRoom(for: 0)
    return sink.size
  }

  private func take(_ bytes: [UInt8], _ mine: Int) async throws {
    try checkCurrent(mine)
    guard let size = sink?.size, let unwritten = sink?.unwritten else {
      throw StorageError.noUpload
    }
    if let limit = object.expected.size, size + Int64(bytes.count) > limit {
      throw StorageError(.invalid, "Received more than the expected \(limit) bytes of content.")
    }
    try await makeRoom(for: Int64(bytes.count), behind: size, unwritten: unwritten)
    // After a failure half way, the state is read again from the durable data.
    guard var sink else { throw StorageError.noUpload }
    self.sink = nil
    try await sink.take(bytes)
    self.sink = sink
  }

  /// Throws where the upload may not become as large, by its caller's bounds or the disk's.
  private func makeRoom(
    for bytes: Int64,
    behind end: Int64,
    unwritten: Int64
  ) async throws {
    let size = end + bytes
    try await storage.requireRoom(
      for: bytes,
      behind: end,
      unwritten: unwritten,
      expected: object.expected.size,
      room
    )
    guard size > record.counted else { return }
    var next = record
    next.counted = size + Self.countedStep
    let changed = next
    let (more, limits) = (changed.counted - record.counted, storage.configuration.uploadLimits)
    try await storage.write { group in
      guard try group.upload(changed.id)?.isOpen == true else { throw StorageError.noUpload }
      try group.count(changed, uploads: 0, bytes: more, limits: limits)
      try group.put(changed)
    }
    record = next
  }

  /// Makes the received bytes durable, and records their number.
  private func persist() async throws {
    guard isOpen, var sink, sink.size != record.progress.offset else { return }
    self.sink = nil
    try await sink.flush()
    let progress = try await sink.writer.persist()
    var next = record
    next.progress = progress
    next.checksum = progress.offset == sink.size ? sink.hashes.crc32c : nil
    let changed = next
    try await storage.write { group in
      guard try group.upload(changed.id)?.isOpen == true else { throw StorageError.noUpload }
      try group.put(changed)
    }
    record = next
    // Durable bytes are on the disk; the arriving bytes request the other grants again.
    room.set(0, upTo: 0)
    guard progress.offset == sink.size else { return storage.uploadHashes.remove(id) }
    storage.uploadHashes.keep(sink.hasher, of: id)
    self.sink = sink
  }

  private func openSink() async throws -> ContentSink {
    if let sink { return sink }
    let (blobs, memory) = (storage.blobs, storage.partMemory)
    if record.progress.offset == 0, record.progress.state.isEmpty {
      try await clearBlob()
      return ContentSink(try await blobs.begin(record.blob), memory)
    }
    do {
      if let hasher = storage.uploadHashes.hasher(of: id, upTo: record.progress.offset) {
        let writer = try await blobs.resume(record.blob, at: record.progress)
        return ContentSink(writer, memory, hasher)
      }
      let reader = try await blobs.openUnfinished(record.blob, record.progress)
      let hasher = try await hasher(of: reader, upTo: record.progress.offset)
      guard record.checksum ?? hasher.hashes.crc32c == hasher.hashes.crc32c else {
        throw StorageError(.corrupt, "The bytes of an unfinished upload are damaged.")
      }
      let writer = try await blobs.resume(record.blob, at: record.progress)
      return ContentSink(writer, memory, hasher)
    } catch let error as StorageError where error.code == .notFound {
      // It was finished, and its commit never came.
      let reader = try await blobs.open(record.blob)
      let hasher = try await hasher(of: reader, upTo: reader.size)
      return ContentSink(FinishedBlob(size: reader.size), memory, hasher)
    }
  }

  /// Removes the unacknowledged remains of the blob from an earlier request.
  ///
  /// A commit of this upload that failed with an unknown outcome names the blob. Only a store that takes
  /// a write again has decided that it is not in force; while it takes none the blob stays and this throws.
  private func clearBlob() async throws {
    guard mayHaveBlob else { return mayHaveBlob = true }
    let id = id
    try await storage.write { group in
      guard let record = try group.upload(id), record.generation == nil else {
        throw StorageError.noUpload
      }
    }
    try await storage.blobs.remove(record.blob)
  }

  private func hasher(
    of reader: any BlobReader,
    upTo end: Int64
  ) async throws -> ContentHasher {
    guard reader.size >= end else {
      throw StorageError(.corrupt, "An unfinished upload has lost bytes.")
    }
    var hasher = ContentHasher()
    while hasher.size < end {
      let count = Int(min(end - hasher.size, Int64(ObjectContent.partBytes)))
      hasher.update(try await reader.read(at: hasher.size, count: count))
      storage.uploadHashes.noteComputedAgain(count)
    }
    return hasher
  }

  private func land(
    _ sink: ContentSink,
    _ expected: ExpectedContent,
    _ bucket: Bucket
  ) async throws -> StoredObject {
    do {
      let hashes = sink.hashes
      try object.expected.check(hashes)
      try expected.check(hashes)
      self.sink = nil
      try await sink.writer.finish()
      return try await commit(hashes, bucket)
    } catch let error as StorageError where error.isFinal {
      try await giveUp()
      throw error
    }
  }

  private func commit(_ hashes: ContentHashes, _ bucket: Bucket) async throws -> StoredObject {
    let before = record
    let made = try await bucket.commit(object, hashes, record.blob) { writer, object in
      guard try writer.group.upload(before.id)?.isOpen == true,
        writer.bucket.number == before.bucketNumber
      else { throw StorageError.noUpload }
      var after = before
      after.generation = object.generation
      try writer.group.put(after)
      try writer.group.count(before, uploads: -1, bytes: -before.counted)
    }
    record.generation = made.generation
    storage.forgetSession(id)
    return made
  }

  private func giveUp(isRemembered: Bool = false) async throws {
    isOver = true
    room.set(0, upTo: 0)
    await sink?.close()
    sink = nil
    let record = record
    let wasOpen = try await storage.write { group in
      // Another node may have made it an object, whose bytes these are then.
      guard try group.upload(record.id)?.isOpen == true else { return false }
      if isRemembered { try group.cancel(record) } else { try group.delete(record) }
      return true
    }
    self.record.isCancelled = isRemembered && wasOpen
    storage.forgetSession(id)
    if wasOpen { await storage.discard(record.blob) }
  }

  private func finished(_ generation: Int64, _ bucket: Bucket) async throws -> UploadStatus {
    .finished(try await bucket.object(object.name, generation: generation))
  }
}

extension StorageError {
  /// True if the same upload would fail again.
  fileprivate var isFinal: Bool {
    switch code {
    case .invalid, .contentMismatch, .forbidden, .conditionNotMet, .notFound, .conflict,
      .quotaExceeded:
      true
    default: false
    }
  }
}

/// The writer of a blob that is finished already.
private final class FinishedBlob: BlobWriter {
  private let size: Int64

  init(size: Int64) { self.size = size }

  func write(_ bytes: [UInt8]) async throws {
    throw StorageError(.invalid, "Received more bytes for an upload that was already complete.")
  }

  func persist() async throws -> BlobProgress { BlobProgress(offset: size) }

  func finish() async throws {}

  func close() async {}
}
