import KeyValueStore
import Synchronization

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Reads the acknowledged groups of an engine from the files of its log, behind the commits and beside them.
///
/// The commits do nothing for it. It reads no record with a sequence number above the last
/// acknowledged one: a record up to that number is synced, whole and never changes. Bytes that were
/// read beyond that number are read again, since a recovery may cut them off and give their number
/// to another group.
///
/// One call at a time; calls block.
package final class GroupLog: Sendable {
  private struct Position {
    /// The sequence number of the last group that was given.
    var last: UInt64
    var file: Int?
    var descriptor: Int32 = -1
    /// The offset in the file at which the next record begins.
    var offset = 0
    /// Bytes of the file from `start` on, which begins a block.
    var chunk: [UInt8] = []
    var start = 0
    /// The last acknowledged number before `chunk` was read.
    var acknowledged: UInt64 = 0
  }

  private static let chunkBytes = 256 << 10
  private static let largestChunk = 1 << 30

  private let files: LogFiles
  private let acknowledged: @Sendable () -> UInt64
  private let position: Mutex<Position>

  init(_ files: LogFiles, after sequence: UInt64, acknowledged: @escaping @Sendable () -> UInt64) {
    self.files = files
    self.acknowledged = acknowledged
    position = Mutex(Position(last: sequence))
  }

  deinit {
    position.withLock { if $0.descriptor >= 0 { close($0.descriptor) } }
  }

  /// The sequence number of the last group that was given.
  package var lastSequence: UInt64 { position.withLock { $0.last } }

  /// The number of the file that is read; files with lower numbers are read to their ends.
  package var file: Int? { position.withLock { $0.file } }

  /// True if an acknowledged group has not been delivered yet.
  package var hasMore: Bool { lastSequence < acknowledged() }

  /// The next acknowledged group; nil where there is none yet.
  ///
  /// Throws `KeyValueError.logGap` where the groups in between are in no file any more.
  package func next() throws -> GroupRecord? {
    try position.withLock { position in
      guard position.last < acknowledged() else { return nil }
      if position.file == nil { try locate(&position) }
      while true {
        guard let (record, end) = try read(&position) else {
          try openNext(&position)
          continue
        }
        position.offset = end
        guard record.count > 0, record.lastSequence > position.last else { continue }
        guard record.firstSequence == position.last + 1 else { throw Self.gap(files.directory) }
        position.last = record.lastSequence
        return record
      }
    }
  }

  /// Opens the last file that does not begin behind the position.
  private func locate(_ position: inout Position) throws {
    var found = false
    for number in try files.numbers() {
      var candidate = Position(last: position.last)
      guard let descriptor = files.open(number) else { continue }
      (candidate.file, candidate.descriptor) = (number, descriptor)
      guard let (record, _) = try read(&candidate) else {
        close(descriptor)
        continue
      }
      guard record.firstSequence <= position.last + 1 else {
        close(descriptor)
        break
      }
      if found { close(position.descriptor) }
      position = candidate
      found = true
    }
    guard found else { throw Self.gap(files.directory) }
  }

  private func openNext(_ position: inout Position) throws {
    guard let next = try files.numbers().first(where: { $0 > position.file ?? 0 }),
      let descriptor = files.open(next)
    else { throw Self.gap(files.directory) }
    close(position.descriptor)
    (position.file, position.descriptor) = (next, descriptor)
    (position.offset, position.chunk, position.start) = (0, [], 0)
  }

  /// The record at the position and where it ends; nil where the file has no acknowledged one there.
  private func read(_ position: inout Position) throws -> (record: GroupRecord, end: Int)? {
    if let found = try Self.parse(position), found.record.lastSequence <= position.acknowledged {
      return found
    }
    var size = Self.chunkBytes
    while size <= Self.largestChunk {
      position.acknowledged = acknowledged()
      try Self.fill(&position, size)
      if let found = try Self.parse(position) {
        return found.record.lastSequence <= position.acknowledged ? found : nil
      }
      if position.chunk.count < size { return nil }
      size *= 4
    }
    return nil
  }

  private static func parse(_ position: Position) throws -> (record: GroupRecord, end: Int)? {
    let offset = position.offset - position.start
    guard offset >= 0, offset < position.chunk.count else { return nil }
    let found = position.chunk.withUnsafeBytes { RecordLog.record(at: offset, in: $0) }
    return try found.map { (try GroupRecord($0.payload), position.start + $0.end) }
  }

  private static func fill(_ position: inout Position, _ size: Int) throws {
    let start = position.offset / RecordLog.blockBytes * RecordLog.blockBytes
    let descriptor = position.descriptor
    var failure: Int32?
    position.chunk = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
      while filled < size {
        let rest = UnsafeMutableBufferPointer(rebasing: buffer[filled..<size])
        let count = pread(descriptor, rest.baseAddress, rest.count, off_t(start + filled))
        if count < 0, errno == EINTR { continue }
        if count < 0 { failure = errno }
        guard count > 0 else { return }
        filled += count
      }
    }
    position.start = start
    if let failure { throw SystemFile.failure("read", "the log", failure) }
  }

  private static func gap(_ directory: String) -> KeyValueError {
    KeyValueError(.logGap, "\(directory) has not all groups of its log any more")
  }
}

extension KeyValueError.Code {
  /// Groups of the log are asked for that are in no file any more.
  package static let logGap = KeyValueError.Code(rawValue: "log-gap")
}
