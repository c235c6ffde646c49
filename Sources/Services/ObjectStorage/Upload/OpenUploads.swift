import BaseText
import KeyValueStore

/// The bounds of unfinished resumable uploads: for each caller that starts them, each project, and
/// in total.
///
/// Clients leave an eighth of the last two to administrators. When half of one is taken, the clients of
/// a network have a sixteenth of it: one person's accounts, however many, can't use it up.
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

    /// The part of it that clients may take.
    var ofClients: Bound { Bound(count: count - count / 8, bytes: bytes - bytes / 8) }

    /// Returns true if more than half of it is taken.
    func isCrowded(by open: OpenUploads) -> Bool {
      open.count > count / 2 || open.bytes > bytes / 2
    }

    /// The share of a network where it is crowded.
    var ofNetwork: Bound { Bound(count: count / 16, bytes: bytes / 16) }

    /// Throws where so much is beyond it.
    func check(_ open: OpenUploads) throws {
      guard open.count > count || open.bytes > bytes else { return }
      throw StorageError(
        .quotaExceeded,
        "Too many uploads are unfinished, or they are too large. Try again later."
      )
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
      network: upload.network,
      uploads: uploads,
      bytes: bytes,
      limits: limits
    )
  }

  /// The same of a project's upload, and of its caller and network where the caller is no administrator.
  func count(
    of project: Text,
    caller: Text?,
    network: Text?,
    uploads: Int64,
    bytes: Int64,
    limits: UploadLimits?
  ) throws {
    var networkBound: UploadLimits.Bound?
    for (key, bound) in [
      (StorageKey.openUploads(project), limits?.project),
      (StorageKey.openUploads(""), limits?.all),
    ] {
      let open = try count(uploads, bytes, at: key)
      guard let bound else { continue }
      try (caller == nil ? bound : bound.ofClients).check(open)
      if bound.isCrowded(by: open) { networkBound = networkBound ?? bound.ofNetwork }
    }
    if let caller {
      let open = try count(uploads, bytes, at: StorageKey.openUploads(project, caller))
      try limits?.caller.check(open)
    }
    if let network {
      let open = try count(uploads, bytes, at: StorageKey.openUploads("", network))
      try networkBound?.check(open)
    }
  }

  private func count(_ uploads: Int64, _ bytes: Int64, at key: [UInt8]) throws -> OpenUploads {
    var open = try openUploads(key)
    open.count = max(open.count + uploads, 0)
    open.bytes = max(open.bytes + bytes, 0)
    if open == OpenUploads() { try delete(key) } else { try put(key, open.stored) }
    return open
  }
}
