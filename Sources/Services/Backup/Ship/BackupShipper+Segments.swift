import KeyValueRocksDB
import KeyValueStore
import ObjectStorage

extension BackupShipper {
  /// The longest wait, in microseconds, of groups that only engines write for themselves.
  private static let quietTime: Int64 = 60_000_000

  /// Ships the groups that are there, a full segment after the other; with `all` also those that only engines write for themselves.
  func ship(all: Bool = false) async throws {
    while true {
      try await putPending()
      guard try await collect() || all else { break }
      guard !builder.isEmpty else { break }
      let isFull = builder.content.count >= configuration.segmentBytes
      try await seal()
      // Data that arrives during the pause is worth a segment after it; under load there is always
      // more.
      guard isFull else { break }
    }
    notePending()
    try await releaseLogs()
  }

  /// Reads acknowledged groups; true where there is something worth a segment.
  private func collect() async throws -> Bool {
    guard let logs else { return false }
    let taken = builder
    builder = SegmentBuilder(after: chain.ends, blobs)
    let (engines, limit, time) = (engines, configuration.segmentBytes, now)
    let (read, failure) = try await threads.run(on: .maintenance) {
      let sources = zip(engines, logs).map { (name: $0.name, log: $1) }
      return try taken.collecting(sources, limit: limit, now: time)
    }
    builder = read
    if let failure {
      guard failure.code == .logGap || failure.code == .corruption else { throw failure }
      giveUpLogs()
      throw BackupError(.unavailable, "\(failure.message): a new base snapshot is being created.")
    }
    if !builder.isEmpty { notePending() }
    return builder.hasChanges || (!builder.isEmpty && time - builder.from > Self.quietTime)
  }

  /// Makes the pending segment of the builder, with the files that it names in the target.
  private func seal() async throws {
    let taken = builder
    var missing: Set<BlobID> = []
    for blob in taken.blobs {
      if try await !copy(blob) { missing.insert(blob.id) }
    }
    let head = taken.head(chain.number + 1, previous: chain.digest, missing: missing)
    let codec = codec
    let bytes = try await threads.run(on: .maintenance) {
      try codec.encode(SegmentHead.name(head.number), taken.content, packing: true, segment: head)
    }
    pending = Pending(head: head, bytes: bytes)
    builder = SegmentBuilder(after: head.ends, blobs)
    try await putPending()
  }

  /// Puts the segment that waits; afterwards the target has its groups.
  private func putPending() async throws {
    guard let segment = pending else { return }
    let name = SegmentHead.name(segment.head.number)
    try await target.put(name, segment.bytes, replacing: false)
    chain = Chain(
      number: segment.head.number,
      digest: BackupArchive.digest(segment.bytes),
      ends: segment.head.ends
    )
    pending = nil
    bytesSinceBase += segment.bytes.count
    let delay = now - (segment.head.firstVersion ?? segment.head.from)
    state.withLock { status in
      status.segment = segment.head.number
      status.shippedBytes += segment.bytes.count
      status.shippedSegments += 1
      if status.delays.count >= BackupStatus.keptDelays { status.delays.removeFirst(512) }
      status.delays.append(max(0, delay))
    }
  }

  /// Copies a blob to the target; false where it is removed already.
  ///
  /// The last part is put last.
  func copy(_ blob: BackedBlob) async throws -> Bool {
    let object = Self.object(blob.id)
    let parts = BaseManifest.parts(ofSize: Int(blob.file.size))
    let reader: any BlobReader
    do {
      reader = try await blobs[blob.kind].store.open(blob.id)
    } catch let error as StorageError where error.code == .notFound {
      return false
    }
    for part in 0..<parts {
      let offset = Int64(part * BaseManifest.partBytes)
      let bytes = try await reader.read(at: offset, count: BaseManifest.partBytes)
      try await put(BaseManifest.part(object, part), bytes)
    }
    return true
  }

  /// The name of a file of Storage in the target.
  static func object(_ id: BlobID) -> String {
    let text = id.description
    return "blobs/\(text.prefix(2))/\(text)"
  }

  /// Encodes and puts an object that may be there from an earlier attempt.
  func put(_ name: String, _ content: [UInt8], packing: Bool = false) async throws {
    let codec = codec
    let bytes = try await threads.run(on: .maintenance) {
      try codec.encode(name, content, packing: packing)
    }
    try await target.put(name, bytes, replacing: true)
    state.withLock { $0.shippedBytes += bytes.count }
  }

  /// Lets the engines remove what was shipped.
  private func releaseLogs() async throws {
    guard let logs, builder.isEmpty else { return }
    let files = logs.map(\.file)
    guard files != releasedFiles else { return }
    releasedFiles = files
    let engines = engines
    try await threads.run(on: .maintenance) {
      for case (let engine, let file?) in zip(engines, files) {
        try engine.engine.releaseLog(before: file)
      }
    }
  }

  /// Notes since when there is something that the target has not.
  func notePending() {
    let read =
      pending?.head.firstVersion ?? pending?.head.from
      ?? (builder.hasChanges ? builder.firstVersion ?? builder.from : nil)
    // Without a base the segments are of no use.
    let current = needsBase ? nil : logs
    let waits = current.map { $0.contains(where: \.hasMore) } ?? true
    let through = read == nil ? current?.map(\.lastSequence) : nil
    let time = now
    state.withLock { status in
      if let through { status.through = through }
      if let read {
        status.pendingSince = read
      } else if !waits {
        status.pendingSince = nil
      } else if status.pendingSince == nil {
        status.pendingSince = time
      }
    }
  }
}
