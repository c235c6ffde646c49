import Synchronization
import Testing

@testable import ObjectStorage

/// Content on its way to a blob, in parts that are written and hashed beside each other.
struct ContentSinkTests {
  /// Keeps what it is given; from a number of parts on it has no room.
  private final class Writer: BlobWriter {
    struct Full: Error {}

    let parts = Mutex<[[UInt8]]>([])
    private let room: Int

    init(room: Int = .max) { self.room = room }

    var bytes: [UInt8] { parts.withLock { Array($0.joined()) } }

    func write(_ bytes: [UInt8]) async throws {
      // Later parts have every chance to come first.
      await Task.yield()
      try parts.withLock {
        guard $0.count < room else { throw Full() }
        $0.append(bytes)
      }
    }

    func persist() async throws -> BlobProgress { BlobProgress(offset: 0) }
    func finish() async throws {}
    func close() async {}
  }

  private static let content = (0..<(3 * PartMemory.largestPart + 77)).map {
    UInt8(truncatingIfNeeded: $0 &* 31)
  }

  private static func expected() -> ContentHashes {
    var hasher = ContentHasher()
    hasher.update(content)
    return hasher.hashes
  }

  @Test func `however content comes, it is written in its order and its hashes are its own`()
    async throws
  {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2 {
      let writer = Writer()
      var sink = ContentSink(writer, PartMemory())
      var rest = Self.content[...]
      while !rest.isEmpty {
        let count = min(
          rest.count,
          Int.random(in: 1...(2 * PartMemory.largestPart), using: &random)
        )
        try await sink.take(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
      try await sink.flush()
      let (hashes, unwritten) = (sink.hashes, sink.unwritten)
      #expect(hashes == Self.expected())
      #expect(unwritten == 0)
      #expect(writer.bytes == Self.content)
    }
  }

  @Test func `behind a part that could not be written nothing is, and every later call throws`()
    async
  {
    let writer = Writer(room: 2)
    var sink = ContentSink(writer, PartMemory())
    let failures = [
      await Self.isFull(&sink, Self.content), await Self.isFull(&sink, []),
      await Self.isFull(&sink, []),
    ]
    await sink.close()
    #expect(failures == [true, true, true])
    #expect(writer.bytes == Array(Self.content.prefix(2 * PartMemory.largestPart)))
  }

  /// Returns true if taking and flushing throws the writer's error.
  private static func isFull(_ sink: inout ContentSink, _ bytes: [UInt8]) async -> Bool {
    do {
      try await sink.take(bytes)
      try await sink.flush()
      return false
    } catch {
      return error is Writer.Full
    }
  }
}
