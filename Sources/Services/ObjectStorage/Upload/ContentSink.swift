/// Takes content as it comes to an unfinished blob, in parts that are worth a write, and hashes it on the way.
struct ContentSink: Sendable {
  let writer: any BlobWriter
  private(set) var hasher: ContentHasher
  private var waiting: [UInt8] = []

  init(_ writer: any BlobWriter, _ hasher: ContentHasher = ContentHasher()) {
    self.writer = writer
    self.hasher = hasher
  }

  /// Bytes that came.
  var size: Int64 { hasher.size + Int64(waiting.count) }

  mutating func take(_ bytes: [UInt8]) async throws {
    if waiting.isEmpty, bytes.count >= ObjectContent.partBytes { return try await write(bytes) }
    waiting += bytes
    if waiting.count >= ObjectContent.partBytes { try await flush() }
  }

  /// Hands on what waits.
  mutating func flush() async throws {
    guard !waiting.isEmpty else { return }
    let bytes = waiting
    waiting.removeAll(keepingCapacity: true)
    try await write(bytes)
  }

  /// Hashes what another thread writes meanwhile; after an error the sink is of no use.
  private mutating func write(_ bytes: [UInt8]) async throws {
    async let written: Void = writer.write(bytes)
    hasher.update(bytes)
    try await written
  }
}
