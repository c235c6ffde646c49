/// Takes content as it comes to an unfinished blob, in parts that are worth a write, and hashes it on the way.
///
/// A few parts are under way while the next one is collected: they are written one after the other, and beside that hashed one
/// after the other, so that neither waits for the other with each part. What went wrong with a part is thrown by a later call; the
/// sink is of no use then.
struct ContentSink: Sendable {
  /// What is written at once; parts end at multiples of it, so that the disk's blocks are written whole.
  static let partBytes = 512 << 10

  /// Parts that are under way at once, at most.
  private static let depth = 2

  /// A part under way.
  private struct Part {
    /// Ends with the hasher that has the part too.
    let hashing: Task<ContentHasher, Never>
    /// Ends when the part and those before it are written.
    let writing: Task<Void, any Error>
  }

  let writer: any BlobWriter
  /// Bytes that came.
  private(set) var size: Int64
  /// Of the parts before those that are under way.
  private(set) var hasher: ContentHasher
  private var waiting: [UInt8] = []
  /// What is under way, the oldest first.
  private var underWay: [Part] = []

  init(_ writer: any BlobWriter, _ hasher: ContentHasher = ContentHasher()) {
    self.writer = writer
    self.hasher = hasher
    size = hasher.size
  }

  /// Bytes that came and may not be where the store counts them.
  var unwritten: Int64 { size - hasher.size }

  /// The hashes of what came before the last `flush`.
  var hashes: ContentHashes { hasher.hashes }

  mutating func take(_ bytes: [UInt8]) async throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let part = rest.prefix(Self.partBytes - Int(size % Int64(Self.partBytes)))
      waiting += part
      size += Int64(part.count)
      rest = rest.dropFirst(part.count)
      if size % Int64(Self.partBytes) == 0 { try await beginWaiting() }
    }
  }

  /// Hands on what waits, and returns when all is written.
  mutating func flush() async throws {
    if !waiting.isEmpty { try await beginWaiting() }
    while !underWay.isEmpty { try await settleOldest() }
  }

  /// Lets go of the writer once it has nothing under way; the sink is of no use then.
  func close() async {
    for part in underWay {
      _ = await part.hashing.value
      _ = await part.writing.result
    }
    await writer.close()
  }

  private mutating func beginWaiting() async throws {
    let bytes = waiting
    waiting = []
    waiting.reserveCapacity(bytes.capacity)
    try await begin(bytes)
  }

  /// Begins to write and hash a part, when few enough are under way.
  private mutating func begin(_ bytes: [UInt8]) async throws {
    if underWay.count == Self.depth { try await settleOldest() }
    let (writer, last, settled) = (writer, underWay.last, hasher)
    let hashing = Task {
      var hasher = settled
      if let last { hasher = await last.hashing.value }
      hasher.update(bytes)
      return hasher
    }
    let writing = Task {
      try await last?.writing.value
      try await writer.write(bytes)
    }
    underWay.append(Part(hashing: hashing, writing: writing))
  }

  private mutating func settleOldest() async throws {
    let part = underWay[0]
    // One that failed stays the first: each later call throws too.
    try await part.writing.value
    hasher = await part.hashing.value
    underWay.removeFirst()
  }
}
