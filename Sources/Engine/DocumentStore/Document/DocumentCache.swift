import KeyValueStore
import Synchronization

/// Recently read documents, so that reading them again needs no access to the engine.
///
/// An entry is the newest state of its document. A group drops its documents before it becomes
/// visible, and no reader inserts data that a group may have overwritten since the read. Both rest
/// on `RecentWrites`. Two generations bound the memory: when the young one is full it becomes the
/// old one, and what was not read since goes. After that, a document is inserted when it is read
/// for the second time within some thousands of others. Documents that are read once, by a scan or
/// at random among far more than fits, would only cost the insertion and removal. Any thread may
/// call.
final class DocumentCache: Sendable {
  private struct Entry {
    let key: [UInt8]
    let document: StoredDocument
    /// The groups that had landed when the document was read.
    let moment: RecentWrites.Moment
  }

  private struct Generations {
    var young: [UInt64: Entry] = [:]
    var old: [UInt64: Entry] = [:]
    var youngBytes = 0
    /// Part of the hash of recently read documents that were not inserted, at a slot that the hash
    /// chooses.
    var once: [UInt16] = []
    /// True if a generation was full, so that a new document drives another out.
    var isFull = false
  }

  private final class Shard: Sendable {
    let generations = Mutex(Generations())
  }

  private let shards = (0..<DocumentCache.shardCount).map { _ in Shard() }
  private let recentWrites: RecentWrites
  /// Bytes of one generation of one shard.
  private let limit: Int

  private static let shardBits = 6
  private static let shardCount = 1 << shardBits
  /// Roughly what an entry takes beside its key and fields.
  private static let entryBytes = 160
  /// Larger documents would take the place of too many others.
  private static let largestDocument = 64 << 10
  /// Bytes of a generation for each slot of what was read once.
  private static let bytesOfSlot = 128

  /// Keeps documents of at most that many bytes together; zero keeps none.
  init(bytes: Int, recentWrites: RecentWrites) {
    self.recentWrites = recentWrites
    limit = bytes / (2 * Self.shardCount)
  }

  /// Returns a lease for a reader that begins now: it may take documents, and put in those that it
  /// reads afterwards.
  func lease() -> Lease { Lease(cache: self, moment: recentWrites.landed) }

  /// One reader's access: to be had before its view of the engine is opened.
  struct Lease {
    fileprivate let cache: DocumentCache
    fileprivate let moment: RecentWrites.Moment

    /// The document under a key as the reader's view has it, if it is known.
    func document(_ key: [UInt8]) -> StoredDocument? { cache.document(key, readBy: moment) }

    /// Stores the reader's value of a key.
    func keep(_ document: StoredDocument, _ key: [UInt8]) {
      cache.keep(document, key, readSince: moment)
    }
  }

  /// The group in progress writes the document, and has notified `RecentWrites`.
  func remove(_ key: [UInt8]) {
    guard limit > 0 else { return }
    let hash = KeyHash.of(key)
    shard(of: hash).generations.withLock { generations in
      if let entry = generations.young.removeValue(forKey: hash) {
        generations.youngBytes -= Self.size(of: entry)
      }
      generations.old.removeValue(forKey: hash)
    }
  }

  /// Anything may have been written.
  func removeAll() {
    for shard in shards {
      shard.generations.withLock { generations in
        (generations.young, generations.old, generations.youngBytes) = ([:], [:], 0)
      }
    }
  }

  private func document(_ key: [UInt8], readBy moment: RecentWrites.Moment) -> StoredDocument? {
    guard limit > 0 else { return nil }
    let hash = KeyHash.of(key)
    return shard(of: hash).generations.withLock { generations in
      if let entry = generations.young[hash] {
        return entry.moment <= moment && entry.key == key ? entry.document : nil
      }
      guard let entry = generations.old[hash], entry.moment <= moment, entry.key == key
      else { return nil }
      put(entry, hash, in: &generations)
      return entry.document
    }
  }

  private func keep(
    _ document: StoredDocument,
    _ key: [UInt8],
    readSince moment: RecentWrites.Moment
  ) {
    guard limit > 0, document.fields.bytes.count <= Self.largestDocument else { return }
    let hash = KeyHash.of(key)
    shard(of: hash).generations.withLock { generations in
      // Under the lock: a group that notes the document after this comes to remove it after that.
      guard isWelcome(hash, in: &generations), recentWrites.isUntouched(key, since: moment)
      else { return }
      put(Entry(key: key, document: document, moment: moment), hash, in: &generations)
    }
  }

  /// Returns true if a document may drive out others: it was read before, recently.
  private func isWelcome(_ hash: UInt64, in generations: inout Generations) -> Bool {
    guard generations.isFull else { return true }
    if generations.once.isEmpty {
      generations.once = Array(repeating: 0, count: max(1, limit / Self.bytesOfSlot))
    }
    let slot = Int((hash >> 16) & 0xFFFF_FFFF) % generations.once.count
    let mark = UInt16(truncatingIfNeeded: hash)
    if generations.once[slot] == mark { return true }
    generations.once[slot] = mark
    return false
  }

  private func put(_ entry: Entry, _ hash: UInt64, in generations: inout Generations) {
    let size = Self.size(of: entry)
    if generations.youngBytes + size > limit {
      generations.old = generations.young
      generations.young = [:]
      generations.youngBytes = 0
      generations.isFull = true
    }
    if let replaced = generations.young.updateValue(entry, forKey: hash) {
      generations.youngBytes -= Self.size(of: replaced)
    }
    generations.youngBytes += size
  }

  private func shard(of hash: UInt64) -> Shard { shards[Int(hash >> (64 - Self.shardBits))] }

  private static func size(of entry: Entry) -> Int {
    entryBytes + entry.key.count + entry.document.fields.bytes.count
  }
}
