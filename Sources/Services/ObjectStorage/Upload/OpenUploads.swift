import BaseText
import KeyValueStore

/// The bounds of unfinished resumable uploads: for each caller that starts them, each project, and
/// in total.
package struct UploadLimits: Sendable {
  /// The most uploads at once, and the most bytes that they may take.
  package struct Bound: Sendable {
    /// Unfinished uploads at once.
    package var count: Int64
    /// Bytes that these have, or are counted for in advance.
    package var bytes: Int64

    /// A bound of both.
    package init(count: Int64, bytes: Int64) {
      self.count = count
      self.bytes = bytes
    }
  }

  /// The bound of one user, or of one network of clients without an account; administrators have
  /// none of their own.
  package var caller = Bound(count: 100, bytes: 16 << 30)
  /// The bound for one project: 10,000 uploads and 1 TiB.
  package var project = Bound(count: 10_000, bytes: 1 << 40)
  /// The bound for the whole server: 50,000 uploads and 4 TiB.
  package var all = Bound(count: 50_000, bytes: 4 << 40)

  /// The product's bounds.
  package init() {}
}

/// The number of unfinished uploads, and the bytes that they have or were given.
///
/// As stored: the number and the bytes, 8 bytes each, big-endian; where the latter are missing there are none.
struct OpenUploads: Sendable, Equatable {
  var count: Int64 = 0
  var bytes: Int64 = 0

  init() {}

  init(stored: [UInt8]) {
    count = Self.number(stored.prefix(8))
    bytes = Self.number(stored.dropFirst(8))
  }

  var stored: [UInt8] { StorageKey.number(count) + StorageKey.number(bytes) }

  private static func number(_ bytes: some Sequence<UInt8>) -> Int64 {
    Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }
}

extension KeyValueReader {
  /// The unfinished uploads of the caller under a key.
  func openUploads(_ key: [UInt8]) throws -> OpenUploads {
    try get(key).map(OpenUploads.init(stored:)) ?? OpenUploads()
  }
}

extension KeyValueGroup {
  /// Counts an upload that begins, is over, or takes more bytes; throws where that is beyond a bound.
  ///
  /// - Parameter limits: Nil where nothing is to be refused: something is over.
  func count(
    _ upload: UploadRecord,
    uploads: Int64,
    bytes: Int64,
    limits: UploadLimits? = nil
  ) throws {
    try count(
      of: upload.project,
      caller: upload.caller,
      uploads: uploads,
      bytes: bytes,
      limits: limits
    )
  }

  /// The same of a project's upload, and its caller's where that is no administrator.
  func count(
    of project: Text,
    caller: Text?,
    uploads: Int64,
    bytes: Int64,
    limits: UploadLimits?
  ) throws {
    var shares = [
      (StorageKey.openUploads(project), limits?.project),
      (StorageKey.openUploads(""), limits?.all),
    ]
    if let caller { shares.append((StorageKey.openUploads(project, caller), limits?.caller)) }
    for (key, limit) in shares {
      var open = try openUploads(key)
      open.count = max(open.count + uploads, 0)
      open.bytes = max(open.bytes + bytes, 0)
      if let limit, open.count > limit.count || open.bytes > limit.bytes {
        throw StorageError(
          .quotaExceeded,
          "Too many uploads are unfinished, or they are too large. Try again later."
        )
      }
      if open == OpenUploads() { try delete(key) } else { try put(key, open.stored) }
    }
  }
}
