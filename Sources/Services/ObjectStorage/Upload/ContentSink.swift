/// Takes content as it comes to an unfinished blob, in parts that are worth a write, and hashes it on the way.
///
/// One part at a time is written and hashed while the next one is collected. What went wrong with a part is thrown by the
/// next call; the sink is of no use then.
struct ContentSink: Sendable {
  /// What is written at once; parts end at multiples of it, so that the disk's blocks are written whole.
  static let partBytes = 512 << 10

  let writer: any BlobWriter
  /// Bytes that came.
  private(set) var size: Int64
  /// Of the parts before the one that is under way.
  private(set) var hasher: ContentHasher
  private var waiting: [UInt8] = []
  /// The part under way, and the hasher that has it too.
  private var underWay: Task<ContentHasher, any Error>?

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
    try await settle()
  }

  /// Lets go of the writer once it has nothing under way; the sink is of no use then.
  func close() async {
    _ = await underWay?.result
    await writer.close()
  }

  private mutating func beginWaiting() async throws {
    let bytes = waiting
    waiting = []
    waiting.reserveCapacity(bytes.capacity)
    try await begin(bytes)
  }

  /// Begins to write and hash a part, when the one before is done.
  private mutating func begin(_ bytes: [UInt8]) async throws {
    try await settle()
    let (writer, before) = (writer, hasher)
    underWay = Task {
      async let written: Void = writer.write(bytes)
      var hasher = before
      hasher.update(bytes)
      try await written
      return hasher
    }
  }

  private mutating func settle() async throws {
    guard let task = underWay else { return }
    hasher = try await task.value
    underWay = nil
  }
}
