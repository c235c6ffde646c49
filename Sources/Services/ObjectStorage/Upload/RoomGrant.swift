import Synchronization

// The disk's room for uploads. Each upload is granted some bytes in advance, so that it need not
// check the disk with each part. Grants count as if they were written, so that all together leave
// the reserve for others.

/// Room on the disk that an upload was granted, until nothing refers to it.
///
/// One task at a time changes it.
final class RoomGrant: Sendable {
  /// An upload looks at the disk whenever it has so many bytes more.
  static let step: Int64 = 1 << 20

  private let room: KnownRoom
  private let bytes = Atomic<Int64>(0)
  /// The size that the upload may have.
  private let end = Atomic<Int64>(0)

  init(_ room: KnownRoom) { self.room = room }

  deinit { room.add(-bytes.load(ordering: .relaxed)) }

  /// Returns true if an upload may become that large.
  func covers(_ size: Int64) -> Bool { size <= end.load(ordering: .relaxed) }

  /// Grants so many bytes in place of those before, with which the upload has a size.
  ///
  /// - Returns: The previous grant.
  @discardableResult
  func set(_ bytes: Int64, upTo size: Int64) -> (bytes: Int64, size: Int64) {
    let before = self.bytes.exchange(bytes, ordering: .relaxed)
    room.add(bytes - before)
    return (before, end.exchange(size, ordering: .relaxed))
  }
}

/// The last known room on the disk, less the requests of uploads since; and the grants of uploads.
///
/// While plenty is left the disk is not asked again for a second. Any thread may call.
final class KnownRoom: Sendable {
  private struct Finding {
    var bytes: Int64
    let time: Int64
  }

  private let last = Mutex<Finding?>(nil)
  private let grants = Atomic<Int64>(0)

  private static let ample: Int64 = 4 << 30
  private static let lifetime: Int64 = 1_000_000

  /// Bytes that uploads were granted and may not have written.
  var granted: Int64 { grants.load(ordering: .relaxed) }

  fileprivate func add(_ bytes: Int64) { grants.add(bytes, ordering: .relaxed) }

  /// Returns true if there is room for this many bytes without checking the disk; they count after
  /// that.
  func isAmple(for bytes: Int64, now: Int64) -> Bool {
    last.withLock { last in
      guard let finding = last, (0..<Self.lifetime).contains(now - finding.time),
        finding.bytes - bytes >= Self.ample
      else { return false }
      last?.bytes -= bytes
      return true
    }
  }

  /// Records the free space of the disk, beyond the reserve for others.
  func note(_ bytes: Int64, now: Int64) {
    last.withLock { $0 = Finding(bytes: bytes, time: now) }
  }
}

extension ObjectStorage {
  /// Throws where the disk has too little room left for that many bytes beside those that were granted.
  func requireRoom(for bytes: Int64) async throws {
    try await requireRoom(for: bytes, isGranted: false)
  }

  private func requireRoom(for bytes: Int64, isGranted: Bool) async throws {
    let now = configuration.clock.now()
    if room.isAmple(for: bytes, now: now) { return }
    guard let available = try await blobs.availableBytes() else { return }
    let left =
      available - configuration.reservedBytes - room.granted - (isGranted ? 0 : bytes)
    room.note(left, now: now)
    guard left < 0 else { return }
    throw StorageError(
      .insufficientStorage,
      "The server's disk is almost full: uploads are refused, deletes are not."
    )
  }

  /// Throws where the disk has too little room left for the next bytes of an upload, and else grants it some more.
  ///
  /// - Parameters:
  ///   - end: The offset at which the bytes begin.
  ///   - unwritten: Those before them that may not be on the disk.
  ///   - expected: The size that the upload will have; nil where that is not known.
  func requireRoom(
    for bytes: Int64,
    behind end: Int64,
    unwritten: Int64,
    expected: Int64?,
    _ grant: RoomGrant
  ) async throws {
    let size = end + bytes
    guard !grant.covers(size) else { return }
    let step = min(RoomGrant.step, max((expected ?? .max) - size, 0))
    // First: of two that ask at once neither overlooks the other.
    let before = grant.set(unwritten + bytes + step, upTo: size + step)
    do {
      try await requireRoom(for: bytes + step, isGranted: true)
    } catch {
      grant.set(before.bytes, upTo: before.size)
      throw error
    }
  }
}
