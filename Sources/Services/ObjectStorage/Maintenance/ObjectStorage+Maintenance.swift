import KeyValueStore

extension ObjectStorage {
  /// Notes that there may be released blobs.
  func noteReleased() { released.withLock { $0 = true } }

  /// Removes expired data until the task is cancelled: released blobs soon; expired uploads,
  /// deleted objects, objects under lifecycle rules, and orphans of crashes from time to time.
  package func maintain(
    every pause: Duration = .seconds(5),
    sweepEvery sweepPause: Duration = .seconds(3_600),
    sleep: @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
  ) async {
    var sinceSweep = sweepPause
    while !Task.isCancelled {
      await observed { try await self.removeReleasedBlobs() }
      await observed { try await self.updateGauges() }
      if sinceSweep >= sweepPause {
        await observed { try await self.sweep() }
        sinceSweep = .zero
      }
      do { try await sleep(pause) } catch { return }
      sinceSweep += pause
    }
  }

  private func observed(_ work: () async throws -> Void) async {
    do {
      try await work()
    } catch is CancellationError {
      return
    } catch {
      configuration.errorObserver(error)
    }
  }

  /// Everything that is done from time to time.
  package func sweep() async throws {
    try await endExpiredUploads()
    try await applyLifecycles()
    try await destroySoftDeleted()
    try await forgetDeletedHMACKeys()
    try await removeReleasedBlobs()
    _ = try await removeOrphans()
  }

  /// Removes the files of blobs that no object names any more.
  package func removeReleasedBlobs() async throws {
    let isDue = released.withLock { released in
      defer { released = false }
      return released
    }
    guard isDue else { return }
    while true {
      let (batch, unnamed) = try await read(on: .maintenance) { view in
        let batch = try view.releasedBlobs(limit: 100)
        return (batch, try batch.filter { try view.references(of: $0) == nil })
      }
      for blob in unnamed { try await blobs.remove(blob) }
      guard !batch.isEmpty else { return }
      try await write(.background) { group in
        for blob in batch { try group.delete(StorageKey.releasedBlob(blob)) }
      }
    }
  }

  /// Removes blobs that nothing names, as after a crash.
  ///
  /// Safe beside uploads: a blob's files are listed before the check for a writer. That check comes
  /// before the view for the check if an object or an upload names it. Safe after commits of
  /// unknown outcome: before its file is removed a blob is written to be released, and a store that
  /// takes a write has decided on all that came before it.
  ///
  /// - Returns: The number of removed blobs.
  package func removeOrphans() async throws -> Int {
    var count = try await removeUnnamed(try await blobs.unfinishedBlobs())
    for shard in 0..<blobs.shardCount {
      try Task.checkCancellation()
      count += try await removeUnnamed(try await blobs.finishedBlobs(inShard: shard))
    }
    return count
  }

  private func removeUnnamed(_ found: [BlobID]) async throws -> Int {
    let idle = found.filter { !blobsInUse.contains($0) }
    guard !idle.isEmpty else { return 0 }
    let orphans = try await read(on: .maintenance) { view in
      let unnamed = try idle.filter { try view.references(of: $0) == nil }
      // Few blobs are named by no object; without one the uploads, which may be many, need not be read.
      guard !unnamed.isEmpty else { return [BlobID]() }
      let uploads = try view.uploadBlobs()
      return unnamed.filter { !uploads.contains($0) }
    }
    guard !orphans.isEmpty else { return 0 }
    let released = try await write(.background) { group in
      let unnamed = try orphans.filter { try group.references(of: $0) == nil }
      for blob in unnamed { try group.putMarker(StorageKey.releasedBlob(blob)) }
      return unnamed
    }
    noteReleased()
    try await removeReleasedBlobs()
    return released.count
  }

  /// Removes unfinished uploads after their time.
  func endExpiredUploads() async throws {
    let now = configuration.clock.now()
    while true {
      let expired = try await read(on: .maintenance) { try $0.expiredUploads(by: now, limit: 100) }
      guard !expired.isEmpty else { return }
      for (end, id) in expired { try await endUpload(id, end) }
    }
  }

  private func endUpload(_ id: UploadID, _ end: Int64) async throws {
    if let session = sessions.known(id) { try await session.end() }
    let record = try await write(.background) { group in
      let record = try group.upload(id)
      if let record { try group.delete(record) }
      try group.delete(StorageKey.uploadEnd(end, id))
      return record
    }
    forgetSession(id)
    if let record, record.isOpen { await discard(record.blob) }
  }
}

extension KeyValueReader {
  func releasedBlobs(limit: Int) throws -> [BlobID] {
    let prefix = StorageKey.prefix(.releasedBlob)
    let cursor = try cursor(over: KeyRange(prefix: prefix), reversed: false)
    var blobs: [BlobID] = []
    while blobs.count < limit, try cursor.next() {
      if let blob = BlobID(Array(cursor.key[prefix.count...])) { blobs.append(blob) }
    }
    return blobs
  }

  /// The blobs of uploads that are not finished.
  func uploadBlobs() throws -> Set<BlobID> {
    let prefix = StorageKey.prefix(.upload)
    let cursor = try cursor(over: KeyRange(prefix: prefix), reversed: false)
    var blobs: Set<BlobID> = []
    while try cursor.next() {
      guard let id = UploadID(String(decoding: cursor.key[prefix.count...], as: UTF8.self))
      else { continue }
      let record = try UploadRecord(id, try cursor.value(as: UploadRecord.format, in: self))
      if record.isOpen { blobs.insert(record.blob) }
    }
    return blobs
  }

  fileprivate func expiredUploads(by now: Int64, limit: Int) throws -> [(Int64, UploadID)] {
    let prefix = StorageKey.prefix(.uploadEnd)
    let range = KeyRange(lower: prefix, upper: prefix + StorageKey.number(now))
    let cursor = try cursor(over: range, reversed: false)
    var expired: [(Int64, UploadID)] = []
    while expired.count < limit, try cursor.next() {
      let end = cursor.key[2..<10].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      guard let id = UploadID(String(decoding: cursor.key[10...], as: UTF8.self)) else { continue }
      expired.append((Int64(bitPattern: end), id))
    }
    return expired
  }
}
