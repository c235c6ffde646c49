import KeyValueStore
import Synchronization

/// The room on the disk that an engine leaves free, so that it never fails half way for want of room.
///
/// **Reserve.** A flush, and the next start, write the data in memory to tables; the manifest
/// grows, a log file begins. With less free space than that, beside `base`, a write is refused
/// before it begins. None of it is on the disk, the engine continues to serve reads, and writes are
/// accepted again as soon as there is space. Other programs may still fill the disk between the
/// look and the write: then the engine stops, and `EngineRecovery` takes it up again.
///
/// Any thread may call.
final class DiskRoom: Sendable {
  /// Bytes that stay free beside the data to flush.
  static let base = 6 << 20
  /// With this much left, the next check is later.
  private static let ample = 1 << 30
  private static let pause = Duration.milliseconds(250)
  /// The pause between two flushes that are to make room.
  private static let flushPause = Duration.seconds(1)
  /// Less in memory is not worth a flush.
  private static let flushBytes = 256 << 10

  private let path: String
  private let lastAmple = Mutex<ContinuousClock.Instant?>(nil)
  private let lastFlush = Mutex<ContinuousClock.Instant?>(nil)
  private let isRefusing = Atomic(false)

  init(_ path: String) { self.path = path }

  /// True while the last look found too little.
  var isShort: Bool { isRefusing.load(ordering: .relaxed) }

  /// True if a look a moment ago found so much that the next check does not look again.
  var isAmple: Bool { wasAmple(at: .now) }

  private func wasAmple(at now: ContinuousClock.Instant) -> Bool {
    lastAmple.withLock { last in last.map { now - $0 < Self.pause } ?? false }
  }

  /// Throws `KeyValueError.diskFull` where a write would touch the reserve.
  func check(_ handle: RocksDBHandle) throws {
    let now = ContinuousClock.now
    if wasAmple(at: now) { return }
    let available = try SystemFile.availableBytes(path)
    if available >= Self.ample {
      lastAmple.withLock { $0 = now }
    }
    let needed = Self.base + (available >= Self.ample ? 0 : handle.unflushedBytes)
    isRefusing.store(available < needed, ordering: .relaxed)
    guard available < needed else { return }
    throw Self.error(path, needed: needed)
  }

  /// The same; what is in memory is flushed first if that makes room, whose log the disk has back then.
  func checkFlushing(_ handle: RocksDBHandle) throws {
    do {
      try check(handle)
    } catch let error as KeyValueError where error.code == .diskFull {
      guard try canFlush(handle) else { throw error }
      try handle.flush()
      try check(handle)
    }
  }

  private func canFlush(_ handle: RocksDBHandle) throws -> Bool {
    let bytes = handle.unflushedBytes
    guard bytes >= Self.flushBytes,
      try SystemFile.availableBytes(path) >= bytes + bytes / 8 + Self.base / 2
    else { return false }
    let now = ContinuousClock.now
    return lastFlush.withLock { last in
      if let last, now - last < Self.flushPause { return false }
      last = now
      return true
    }
  }

  /// An error that says how much is to be free; the same text as long as that is the same.
  static func error(_ path: String, needed: Int) -> KeyValueError {
    KeyValueError(
      .diskFull,
      "the disk is full: \(path) has less than the \((needed + 1 << 20 - 1) >> 20) MiB left that writes need",
      metadata: ["directory": path]
    )
  }
}

extension RocksDBHandle {
  /// Bytes that are in memory, and in the log, alone.
  fileprivate var unflushedBytes: Int {
    Int(clamping: property("rocksdb.cur-size-all-mem-tables") ?? 0)
  }
}
