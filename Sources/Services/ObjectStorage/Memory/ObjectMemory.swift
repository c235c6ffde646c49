import Access
import KeyValueStore
import SecurityRules
import Synchronization

/// An object of which memory has all: its metadata and its bytes.
package struct RememberedObject: Sendable {
  package let object: StoredObject
  package let content: [UInt8]
  /// The object as rules see it, made once.
  let resource: StorageResource
  /// What an API has made of the object, to be used again.
  package let derived = DerivedValue()
}

/// A value that somebody makes of a remembered object, and that goes when the object is forgotten.
///
/// Any thread may call.
package final class DerivedValue: Sendable {
  private let value = Mutex<(any Sendable)?>(nil)

  init() {}

  /// The value that was set last, if it is of that type.
  package func get<Value: Sendable>(as type: Value.Type = Value.self) -> Value? {
    value.withLock { $0 } as? Value
  }

  /// Keeps a value in the place of the one that is there.
  package func set(_ new: some Sendable) { value.withLock { $0 = new } }
}

/// Small objects that were downloaded lately, and buckets.
///
/// What is remembered of a key counts only while the store has the very record that it was made of, so nobody needs to
/// tell the memory of changes: whoever looks something up reads the record first, which is mostly in the store's own
/// cache. The bytes of a blob never change.
///
/// Two generations bound the memory: when the young one is full it becomes the old one, and what was not used since
/// goes. Any thread may call.
final class ObjectMemory: Sendable {
  private struct Entry {
    let record: [UInt8]
    let remembered: RememberedObject

    /// Roughly what it takes with its key.
    var bytes: Int { 2_048 + record.count + remembered.content.count }
  }

  private struct Generations {
    var young: [[UInt8]: Entry] = [:]
    var old: [[UInt8]: Entry] = [:]
    var youngBytes = 0
  }

  private final class Shard: Sendable {
    let generations = Mutex(Generations())
  }

  private let shards = (0..<ObjectMemory.shardCount).map { _ in Shard() }
  private let buckets = Mutex<[[UInt8]: (record: [UInt8], bucket: StoredBucket)]>([:])
  /// Bytes of one generation of one shard.
  private let limit: Int

  private static let shardBits = 4
  private static let shardCount = 1 << shardBits
  private static let bucketLimit = 1_024
  /// Larger objects would take the place of too many others.
  private static let largestContent = 64 << 10

  /// Remembers objects of at most that many bytes together; zero remembers none.
  init(bytes: Int) { limit = bytes / (2 * Self.shardCount) }

  /// Whether content of that size may be remembered.
  func takes(_ size: Int64) -> Bool { size <= min(Self.largestContent, limit / 2) }

  /// The object whose record is under that key.
  func object(_ key: [UInt8], _ record: [UInt8]) -> RememberedObject? {
    shard(of: key).generations.withLock { generations in
      if let entry = generations.young[key] {
        return entry.record == record ? entry.remembered : nil
      }
      guard let entry = generations.old[key], entry.record == record else { return nil }
      put(entry, key, in: &generations)
      return entry.remembered
    }
  }

  /// Remembers an object as it was read, with its bytes.
  func keep(_ object: StoredObject, _ content: [UInt8], _ key: [UInt8]) {
    let entry = Entry(
      record: ObjectRecord.bytes(object),
      remembered: RememberedObject(object: object, content: content, resource: object.resource)
    )
    shard(of: key).generations.withLock { put(entry, key, in: &$0) }
  }

  /// The bucket of a record; read out of it where it is not the remembered one.
  func bucket(_ name: BucketName, _ key: [UInt8], _ record: [UInt8]) throws -> StoredBucket {
    if let known = buckets.withLock({ $0[key] }), known.record == record { return known.bucket }
    let bucket = try StoredBucket(name, try RecordReader(record))
    buckets.withLock { buckets in
      if buckets.count >= Self.bucketLimit { buckets.removeAll() }
      buckets[key] = (record, bucket)
    }
    return bucket
  }

  private func put(_ entry: Entry, _ key: [UInt8], in generations: inout Generations) {
    if generations.youngBytes + entry.bytes > limit {
      generations.old = generations.young
      generations.young = [:]
      generations.youngBytes = 0
    }
    if let replaced = generations.young.updateValue(entry, forKey: key) {
      generations.youngBytes -= replaced.bytes
    }
    generations.youngBytes += entry.bytes
  }

  private func shard(of key: [UInt8]) -> Shard {
    shards[Int(KeyHash.of(key) >> (64 - Self.shardBits))]
  }
}
