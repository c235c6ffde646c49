import Checksums
import Crypto

/// Takes content as it comes to an unfinished blob, in parts that are worth a write, and hashes it on the way.
///
/// A few parts are in flight while the next one is collected. They are written one after the other,
/// and beside that go through MD5, which takes the longest and works in order. So neither waits for
/// the other with each part. A later call throws the failure of a part; the sink is of no use then.
struct ContentSink: Sendable {
  /// The maximum number of parts in flight.
  private static let depth = 3

  /// A part in flight.
  private struct Part {
    let count: Int
    /// Ends with the MD5 that has the part too.
    let hashing: Task<Insecure.MD5, Never>
    /// Ends when the part and those before it are written, with the checksum of all.
    let writing: Task<CRC32C, any Error>
  }

  /// The part that is collected.
  private struct Collected {
    var bytes: [UInt8] = []
    /// The number of bytes that make it worth a write: up to a multiple of its room, so that the
    /// disk's blocks are written whole.
    let count: Int
    let room: PartMemory.Room

    init(at offset: Int64, _ memory: PartMemory) {
      room = memory.room()
      count = room.bytes - Int(offset % Int64(room.bytes))
      bytes.reserveCapacity(count)
    }
  }

  let writer: any BlobWriter
  /// Bytes that came.
  private(set) var size: Int64
  /// The hashes of the parts before those in flight.
  private(set) var hasher: ContentHasher
  private let memory: PartMemory
  private var collected: Collected?
  /// The parts in flight, the oldest first.
  private var underWay: [Part] = []

  init(
    _ writer: any BlobWriter,
    _ memory: PartMemory,
    _ hasher: ContentHasher = ContentHasher()
  ) {
    self.writer = writer
    self.memory = memory
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
      if collected == nil { collected = Collected(at: size, memory) }
      let missing = collected.map { $0.count - $0.bytes.count } ?? 0
      let part = rest.prefix(missing)
      collected?.bytes += part
      size += Int64(part.count)
      rest = rest.dropFirst(part.count)
      if part.count == missing { try await beginCollected() }
    }
  }

  /// Passes on the queued bytes, and returns when all are written.
  mutating func flush() async throws {
    try await beginCollected()
    while !underWay.isEmpty { try await settleOldest() }
  }

  /// Releases the writer once it has nothing in flight; the sink is of no use then.
  func close() async {
    for part in underWay {
      _ = await part.hashing.value
      _ = await part.writing.result
    }
    await writer.close()
  }

  /// Starts to write and hash the collected bytes, when few enough parts are in flight.
  private mutating func beginCollected() async throws {
    guard let part = collected else { return }
    collected = nil
    if underWay.count == Self.depth { try await settleOldest() }
    let (writer, last, settled) = (writer, underWay.last, hasher)
    let hashing = Task {
      var md5 = settled.md5
      if let last { md5 = await last.hashing.value }
      md5.update(data: part.bytes)
      return md5
    }
    let writing = Task {
      var crc = settled.crc
      if let last { crc = try await last.writing.value }
      crc.update(part.bytes)
      try await writer.write(part.bytes)
      return crc
    }
    underWay.append(Part(count: part.bytes.count, hashing: hashing, writing: writing))
  }

  private mutating func settleOldest() async throws {
    let part = underWay[0]
    // One that failed stays the first: each later call throws too.
    let crc = try await part.writing.value
    hasher = ContentHasher(crc, await part.hashing.value, size: hasher.size + Int64(part.count))
    underWay.removeFirst()
  }
}
