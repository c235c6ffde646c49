import BaseRuntime
import BaseStatus
import KeyValueStore
import ObjectStorage

// Larger content in the engine. Keys begin with 0x80 and the byte of a kind:
//
//   0x0A part     blob (16 bytes), number (4 bytes)   up to 256 KiB of the packed bytes
//   0x0B pending  blob (16 bytes)                     microseconds since 1970 (8 bytes)
//
// Each part is written in a group of its own, after a marker that says since when the blob is pending. The group that
// writes the record of the content deletes the marker, and the group that deletes the record writes a marker of the
// time 0. So a blob with a marker is the content of no record, and the sweep removes its parts a day later: a crash
// leaves at most parts that nobody needs.

/// The packed bytes of larger files in the engine, for a store that several machines use.
struct SharedContent: Sendable {
  let engine: any KeyValueEngine
  let threads: EngineThreads
  /// Microseconds since 1970.
  let clock: @Sendable () -> Int64

  static let partBytes = 256 << 10
  /// A blob that was pending for that long is one of no upload any more: a day, in microseconds.
  private static let patience: Int64 = 86_400_000_000

  static func pendingKey(_ blob: BlobID) -> [UInt8] { HostingKey.prefix(.pending) + blob.bytes }

  static func parts(of blob: BlobID) -> KeyRange {
    KeyRange(prefix: HostingKey.prefix(.part) + blob.bytes)
  }

  static func partKey(_ blob: BlobID, _ number: Int) -> [UInt8] {
    HostingKey.prefix(.part) + blob.bytes
      + withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
  }

  static func time(_ microseconds: Int64) -> [UInt8] {
    withUnsafeBytes(of: microseconds.bigEndian) { Array($0) }
  }

  /// Begins a blob, which stays pending until the record of its content is written.
  func begin(_ blob: BlobID) async throws -> any BlobWriter {
    try await threads.run(on: .files) {
      try engine.write { try $0.put(Self.pendingKey(blob), Self.time(clock())) }
    }
    return SharedContentWriter(self, blob)
  }

  func put(_ part: [UInt8], number: Int, of blob: BlobID) async throws {
    try await threads.run(on: .files) {
      try engine.write { try $0.put(Self.partKey(blob, number), part) }
    }
  }

  /// Up to `count` bytes of a blob of that size at an offset; NOT_FOUND where parts are missing.
  func read(_ blob: BlobID, size: Int64, at offset: Int64, count: Int) async throws -> [UInt8] {
    let end = min(size, offset + Int64(count))
    guard offset < end else { return [] }
    return try await threads.run(on: .files) {
      try engine.read { view in
        var bytes: [UInt8] = []
        let part = Int64(Self.partBytes)
        for number in Int(offset / part)...Int((end - 1) / part) {
          guard let found = try view.get(Self.partKey(blob, number)) else {
            throw ServiceError(.notFound, "The file's content is gone.")
          }
          let start = Int64(number) * part
          let low = Int(max(offset - start, 0))
          let high = min(found.count, Int(min(end - start, part)))
          if low < high { bytes += found[low..<high] }
        }
        return bytes
      }
    }
  }

  /// A blob of that size to read from.
  func open(_ blob: BlobID, size: Int64) -> any BlobReader {
    SharedContentReader(self, blob, size)
  }

  /// Removes a blob that no record names.
  func remove(_ blob: BlobID) throws {
    while true {
      let isDone = try engine.write(.background) { group in
        let cursor = try group.cursor(over: Self.parts(of: blob), reversed: false)
        var keys: [[UInt8]] = []
        while keys.count < 50, try cursor.next() { keys.append(Array(cursor.key)) }
        for key in keys { try group.delete(key) }
        if keys.isEmpty { try group.delete(Self.pendingKey(blob)) }
        return keys.isEmpty
      }
      if isDone { return }
    }
  }

  /// Removes the blobs that have been pending for long.
  func sweep() throws {
    let old = clock() - Self.patience
    let abandoned = try engine.read { view in
      let range = KeyRange(prefix: HostingKey.prefix(.pending))
      let cursor = try view.cursor(over: range, reversed: false)
      var found: [BlobID] = []
      while try cursor.next() {
        let time = Array(cursor.value).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        guard time < old, let blob = BlobID(Array(cursor.key.dropFirst(2))) else { continue }
        found.append(blob)
      }
      return found
    }
    for blob in abandoned { try remove(blob) }
  }
}

/// Writes a blob part by part.
private final class SharedContentWriter: BlobWriter, @unchecked Sendable {
  // `@unchecked Sendable`: one call at a time, as the protocol says.
  private let content: SharedContent
  private let blob: BlobID
  private var rest: [UInt8] = []
  private var count = 0

  init(_ content: SharedContent, _ blob: BlobID) { (self.content, self.blob) = (content, blob) }

  func write(_ bytes: [UInt8]) async throws {
    rest += bytes
    while rest.count >= SharedContent.partBytes {
      try await content.put(Array(rest.prefix(SharedContent.partBytes)), number: count, of: blob)
      count += 1
      rest.removeFirst(SharedContent.partBytes)
    }
  }

  func persist() async throws -> BlobProgress {
    BlobProgress(offset: Int64(count) * Int64(SharedContent.partBytes))
  }

  func finish() async throws {
    guard !rest.isEmpty else { return }
    try await content.put(rest, number: count, of: blob)
    rest = []
  }

  func close() async {}
}

/// Reads a blob part by part.
private final class SharedContentReader: BlobReader {
  private let content: SharedContent
  private let blob: BlobID
  let size: Int64

  init(_ content: SharedContent, _ blob: BlobID, _ size: Int64) {
    (self.content, self.blob, self.size) = (content, blob, size)
  }

  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    try await content.read(blob, size: size, at: offset, count: count)
  }
}
