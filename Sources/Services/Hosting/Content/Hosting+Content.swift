import BaseStatus
import Crypto
import Gzip
import KeyValueStore
import ObjectStorage

// The packed bytes of files: uploaded once, found by their hash.

extension Hosting {
  /// Takes the packed bytes of a file that a version is waiting for.
  ///
  /// They have to be gzip, and of that hash. Content that is there already is not stored again.
  package func upload(
    _ hash: ContentHash,
    for version: String,
    of site: String,
    _ body: some AsyncSequence<[UInt8], any Error>
  ) async throws {
    let isThere = try await threads.run(on: .files) { try self.isKept(hash, version, of: site) }
    let upload = ContentUpload(hash, limit: configuration.maximumFileBytes)
    var small: [UInt8]? = []
    var writer: (any BlobWriter)?
    let blob = BlobID.random()
    do {
      for try await part in body {
        try await threads.run(on: .files) { try upload.take(part) }
        guard !isThere else { continue }
        if let bytes = small, bytes.count + part.count <= configuration.engineContentBytes {
          small = bytes + part
          continue
        }
        if writer == nil {
          writer = try await begin(blob)
          if let bytes = small, !bytes.isEmpty { try await writer?.write(bytes) }
          small = nil
        }
        try await writer?.write(part)
      }
      let unpacked = try await threads.run(on: .files) { try upload.finish() }
      guard !isThere else { return }
      try await writer?.finish()
      let content = HostedContent(
        size: upload.size,
        unpackedSize: unpacked,
        blob: writer == nil ? nil : blob.description,
        isShared: writer != nil && configuration.sharesContent ? true : nil
      )
      if try await keep(content, hash, small) == false { try await remove(blob) }
    } catch {
      await writer?.close()
      // A record whose write failed may be in force after a restart, and needs its bytes then.
      let mayBeNamed = (error as? KeyValueError)?.leavesOutcomeUnknown ?? false
      if writer != nil, !mayBeNamed { try? await remove(blob) }
      throw error
    }
  }

  /// Returns true if the content that a version waits for is there; throws if it waits for none of that hash.
  private func isKept(_ hash: ContentHash, _ version: String, of site: String) throws -> Bool {
    let open = try self.version(version, of: site)
    guard open.status == .created else {
      throw ServiceError(
        .failedPrecondition,
        "The version \(version) is finalized and accepts no more files."
      )
    }
    return try engine.read { view in
      guard try view.get(HostingKey.use(hash, site, version)) != nil else {
        throw ServiceError(
          .failedPrecondition,
          "The version has no file with that content. Declare it with populateFiles first."
        )
      }
      return try view.get(HostingKey.content(.content, hash)) != nil
    }
  }

  private func begin(_ blob: BlobID) async throws -> any BlobWriter {
    configuration.sharesContent ? try await shared.begin(blob) : try await blobs.begin(blob)
  }

  /// Removes a blob that was begun and is no content's.
  private func remove(_ blob: BlobID) async throws {
    guard configuration.sharesContent else { return try await blobs.remove(blob) }
    try await threads.run(on: .files) { try self.shared.remove(blob) }
  }

  /// Copies the files of the directory into the engine, where it is the place for larger content: those of the time when one
  /// machine alone had the store.
  package func shareContent() async throws {
    guard configuration.sharesContent else { return }
    let files = try await threads.run(on: .maintenance) {
      try self.engine.read { view in
        let cursor = try view.cursor(over: Self.contentKeys, reversed: false)
        var found: [(key: [UInt8], content: HostedContent)] = []
        while try cursor.next() {
          let content = try HostingRecord.read(Array(cursor.value), as: HostedContent.self)
          guard content.blob != nil, content.isShared != true else { continue }
          found.append((Array(cursor.key), content))
        }
        return found
      }
    }
    for (key, content) in files {
      try Task.checkCancellation()
      guard let file = content.blob.flatMap({ BlobID(hexadecimal: $0) }),
        // Another machine may have it.
        let reader = try? await blobs.open(file)
      else { continue }
      let copy = BlobID.random()
      let writer = try await shared.begin(copy)
      var offset: Int64 = 0
      while offset < content.size {
        let bytes = try await reader.read(at: offset, count: SharedContent.partBytes)
        guard !bytes.isEmpty else { break }
        try await writer.write(bytes)
        offset += Int64(bytes.count)
      }
      try await writer.finish()
      let isWhole = offset == content.size
      let isTaken = try await threads.run(on: .maintenance) {
        try self.engine.write { group in
          let stored = try group.hosted(key, as: HostedContent.self)
          guard isWhole, stored?.blob == content.blob else { return false }
          let shared = HostedContent(
            size: content.size,
            unpackedSize: content.unpackedSize,
            blob: copy.description,
            isShared: true
          )
          try group.put(key, try HostingRecord.bytes(shared))
          try group.delete(SharedContent.pendingKey(copy))
          return true
        }
      }
      if isTaken { try await blobs.remove(file) } else { try await remove(copy) }
    }
  }

  /// Notes content whose bytes are there; false where another upload of it came before.
  private func keep(
    _ content: HostedContent,
    _ hash: ContentHash,
    _ bytes: [UInt8]?
  ) async throws -> Bool {
    try await threads.run(on: .files) {
      try self.engine.write { group in
        let key = HostingKey.content(.content, hash)
        guard try group.get(key) == nil else { return false }
        try group.put(key, try HostingRecord.bytes(content))
        if let bytes { try group.put(HostingKey.content(.bytes, hash), bytes) }
        if content.isShared == true, let blob = content.blob.flatMap({ BlobID(hexadecimal: $0) }) {
          try group.delete(SharedContent.pendingKey(blob))
        }
        return true
      }
    }
  }

  /// Packed bytes of a file, all of them or an open file to read them of.
  package enum Content: Sendable {
    case bytes([UInt8])
    case blob(any BlobReader)
  }

  /// The packed bytes of a file that memory has.
  package func knownContent(_ hash: ContentHash) -> [UInt8]? { contents[hash] }

  /// The packed bytes of a file; NOT_FOUND where they were deleted.
  package func content(_ hash: ContentHash) async throws -> Content {
    if let bytes = contents[hash] { return .bytes(bytes) }
    let (record, bytes) = try await threads.run(on: .files) {
      try self.engine.read { view in
        (
          try view.hosted(HostingKey.content(.content, hash), as: HostedContent.self),
          try view.get(HostingKey.content(.bytes, hash))
        )
      }
    }
    if let bytes {
      contents.keep(bytes, of: hash)
      return .bytes(bytes)
    }
    guard let name = record?.blob, let blob = BlobID(hexadecimal: name), let size = record?.size
    else { throw ServiceError(.notFound, "The file's content is gone.") }
    let isShared = record?.isShared == true
    guard size <= ContentMemory.largest else {
      return .blob(isShared ? shared.open(blob, size: size) : try await blobs.open(blob))
    }
    let all =
      isShared
      ? try await shared.read(blob, size: size, at: 0, count: Int(size))
      : try await blobs.contents(blob, size: Int(size))
    contents.keep(all, of: hash)
    return .bytes(all)
  }
}

/// Checks packed bytes as they come; one call at a time, on a thread that may block.
private final class ContentUpload: @unchecked Sendable {
  // `@unchecked Sendable`: the parts of one body come one after the other.
  private let hash: ContentHash
  private var hasher = SHA256()
  private let reader: GzipReader
  private(set) var size: Int64 = 0
  private var unpacked: Int64 = 0

  init(_ hash: ContentHash, limit: Int64) {
    self.hash = hash
    reader = GzipReader(limit: limit)
  }

  func take(_ part: [UInt8]) throws {
    hasher.update(data: part)
    size += Int64(part.count)
    reader.feed(part)
    try expand()
  }

  /// The number of bytes that came out.
  func finish() throws -> Int64 {
    try expand()
    do throws(GzipReader.Problem) {
      try reader.finish()
    } catch {
      throw Self.refusal(error)
    }
    guard ContentHash(hasher.finalize()) == hash else {
      throw ServiceError.invalidArgument("The content does not match the hash.")
    }
    return unpacked
  }

  private func expand() throws {
    do throws(GzipReader.Problem) {
      while let part = try reader.next() { unpacked += Int64(part.count) }
    } catch {
      throw Self.refusal(error)
    }
  }

  private static func refusal(_ problem: GzipReader.Problem) -> ServiceError {
    problem == .tooLarge
      ? .invalidArgument("A file can have at most 1 GiB.")
      : .invalidArgument("The file is not valid gzip. Upload files compressed with gzip.")
  }
}
