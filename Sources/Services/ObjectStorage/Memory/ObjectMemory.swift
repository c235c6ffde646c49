import Access
import KeyValueStore
import SecurityRules
import Synchronization

/// The record that something remembered was made of, and when the store was last seen to have it.
final class ConfirmedRecord: Sendable {
  let bytes: [UInt8]
  /// `KeyValueEngine.stateMark` of then; -1 is none.
  private let mark = Atomic<Int>(-1)

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func isConfirmed(at mark: Int) -> Bool { self.mark.load(ordering: .relaxed) == mark }

  func confirm(at mark: Int) { self.mark.store(mark, ordering: .relaxed) }
}

/// A memory that is valid only while the store has the record that it was made of.
protocol RememberedRecord: AnyObject {
  var record: ConfirmedRecord { get }
}

/// An object of which memory has all: its metadata and its bytes.
package final class RememberedObject: RememberedRecord, Sendable {
  /// The live generation as its record had it.
  package let object: StoredObject
  /// All bytes of the object, at most 64 KiB.
  package let content: [UInt8]
  /// The object's members as rules see them, made once.
  let resource: RulesMap
  let record: ConfirmedRecord
  /// Whom the rules allowed to read it.
  let allowedRead = AllowedRead()
  /// The value that an API derived from the object, to be used again.
  package let derived = DerivedValue()

  fileprivate init(_ object: StoredObject, _ content: [UInt8]) {
    self.object = object
    self.content = content
    resource = object.resource.map
    record = ConfirmedRecord(ObjectRecord.bytes(object))
  }

  /// Roughly what it takes with its key.
  fileprivate var bytes: Int { 2_048 + record.bytes.count + content.count }
}

/// The facts about a bucket that a download needs.
final class RememberedBucket: RememberedRecord, Sendable {
  let id: BucketID
  /// Names the bucket in the keys of its objects.
  let number: Int64
  /// True where its project may have the name.
  let isRightful: Bool
  let record: ConfirmedRecord

  fileprivate init(_ bucket: StoredBucket, _ record: [UInt8]) {
    isRightful = bucket.isRightful
    id = BucketID(project: bucket.project, name: bucket.name.text)
    number = bucket.number
    self.record = ConfirmedRecord(record)
  }
}

/// A value derived from a remembered object, which is dropped with the object.
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

/// Small objects of recent downloads, and buckets.
///
/// The memory of a key is valid only while the store has the same record, so the memory needs no
/// notice of changes. Each look-up reads the record from the store, unless nothing was written
/// since the last check. The bytes of a blob never change.
///
/// Two generations bound the memory: when the young one is full it becomes the old one, and what was not used since
/// goes. Any thread may call.
final class ObjectMemory: Sendable {
  private struct Generations {
    var young: [[UInt8]: RememberedObject] = [:]
    var old: [[UInt8]: RememberedObject] = [:]
    var youngBytes = 0
  }

  private final class Shard: Sendable {
    let generations = Mutex(Generations())
  }

  private let shards = (0..<ObjectMemory.shardCount).map { _ in Shard() }
  private let buckets = Mutex<[[UInt8]: RememberedBucket]>([:])
  /// Bytes of one generation of one shard.
  private let limit: Int

  private static let shardBits = 4
  private static let shardCount = 1 << shardBits
  private static let bucketLimit = 1_024
  /// Larger objects would take the place of too many others.
  private static let largestContent = 64 << 10

  /// Remembers objects of at most that many bytes together; zero remembers none.
  init(bytes: Int) { limit = bytes / (2 * Self.shardCount) }

  /// Returns true if content of that size may be remembered.
  func takes(_ size: Int64) -> Bool { size <= min(Self.largestContent, limit / 2) }

  /// The object that is remembered of that key.
  func object(_ key: [UInt8]) -> RememberedObject? {
    shard(of: key).generations.withLock { generations in
      if let known = generations.young[key] { return known }
      guard let known = generations.old[key] else { return nil }
      put(known, key, in: &generations)
      return known
    }
  }

  /// Remembers an object as it was read, with its bytes.
  func keep(_ object: StoredObject, _ content: [UInt8], _ key: [UInt8]) {
    let remembered = RememberedObject(object, content)
    shard(of: key).generations.withLock { put(remembered, key, in: &$0) }
  }

  /// The bucket that is remembered of that key.
  func bucket(_ key: [UInt8]) -> RememberedBucket? { buckets.withLock { $0[key] } }

  /// Remembers the bucket of a record.
  func keep(_ name: BucketName, _ key: [UInt8], _ record: [UInt8]) throws -> RememberedBucket {
    let bucket = RememberedBucket(try StoredBucket(name, try RecordReader(record)), record)
    buckets.withLock { buckets in
      if buckets.count >= Self.bucketLimit { buckets.removeAll() }
      buckets[key] = bucket
    }
    return bucket
  }

  private func put(
    _ remembered: RememberedObject,
    _ key: [UInt8],
    in generations: inout Generations
  ) {
    if generations.youngBytes + remembered.bytes > limit {
      generations.old = generations.young
      generations.young = [:]
      generations.youngBytes = 0
    }
    if let replaced = generations.young.updateValue(remembered, forKey: key) {
      generations.youngBytes -= replaced.bytes
    }
    generations.youngBytes += remembered.bytes
  }

  private func shard(of key: [UInt8]) -> Shard {
    shards[Int(KeyHash.of(key) >> (64 - Self.shardBits))]
  }
}
