import Testing

@testable import ObjectStorage

/// The memory of uploads' parts.
struct PartMemoryTests {
  @Test func `a few uploads have large parts, many have small ones, and all is given back`() {
    let memory = PartMemory()
    // Collected, and as many under way as a sink has.
    var few = (0..<12).map { _ in memory.room() }
    #expect(few.allSatisfy { $0.bytes == PartMemory.largestPart })
    few = []
    #expect(memory.bytes == 0)
    let many = (0..<1_000).map { _ in memory.room() }
    #expect(many.last?.bytes == PartMemory.smallestPart)
    #expect(memory.bytes == many.reduce(0) { $0 + $1.bytes })
    #expect(memory.bytes <= 24 << 20 + 1_000 * PartMemory.smallestPart)
  }

  @Test func `parts end where the disk's blocks do, wherever an upload went on`() async throws {
    let writer = OffsetWriter(at: 100)
    var hasher = ContentHasher()
    hasher.update(Array(repeating: 1, count: 100))
    var sink = ContentSink(writer, PartMemory(), hasher)
    for _ in 0..<3 { try await sink.take(Array(repeating: 2, count: PartMemory.largestPart)) }
    try await sink.flush()
    let ends = await writer.ends
    #expect(ends.last == Int64(100 + 3 * PartMemory.largestPart))
    #expect(ends.dropLast().allSatisfy { $0 % Int64(PartMemory.smallestPart) == 0 })
  }
}

/// Notes where parts end.
private actor OffsetWriter: BlobWriter {
  private(set) var ends: [Int64] = []
  private var offset: Int64

  init(at offset: Int64) { self.offset = offset }

  func write(_ bytes: [UInt8]) async throws {
    offset += Int64(bytes.count)
    ends.append(offset)
  }

  func persist() async throws -> BlobProgress { BlobProgress(offset: offset) }
  func finish() async throws {}
  func close() async {}
}
