import Foundation

/// The cache of a database: ``PersistentCacheSettings`` or ``MemoryCacheSettings``.
public protocol LocalCacheSettings: Sendable {}

/// The policy by which a cache in memory lets documents go: ``MemoryEagerGCSetting`` or
/// ``MemoryLRUGCSettings``.
public protocol MemoryGarbageCollectorSettings: Sendable {}

/// A cache that outlives the program.
public final class PersistentCacheSettings: NSObject, LocalCacheSettings {
  let sizeBytes: Int64

  /// A cache of 100 MB.
  public override init() { sizeBytes = FirestoreSettings.defaultCacheSize }

  /// A cache of at least a mebibyte, or without a bound; traps on less.
  public init(sizeBytes: NSNumber) {
    trapping { try PersistentCacheSettings.check(sizeBytes: sizeBytes) }
    self.sizeBytes = sizeBytes.int64Value
  }

  /// Throws `invalidArgument` where ``init(sizeBytes:)`` would trap.
  public static func check(sizeBytes: NSNumber) throws {
    try FirestoreSettings.check(cacheSize: sizeBytes.int64Value)
  }

  /// True for a cache on disk of the same size.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? PersistentCacheSettings)?.sizeBytes == sizeBytes
  }

  /// A hash of the size.
  public override var hash: Int { sizeBytes.hashValue }
}

/// A cache that ends with the program.
public final class MemoryCacheSettings: NSObject, LocalCacheSettings {
  let collector: any MemoryGarbageCollectorSettings & NSObjectProtocol

  /// A cache of 100 MB, from which the least recently used documents go first.
  public override init() { collector = MemoryLRUGCSettings() }

  /// A cache that lets documents go in a way.
  public init(
    garbageCollectorSettings: any MemoryGarbageCollectorSettings & NSObjectProtocol
  ) {
    collector = garbageCollectorSettings
  }

  /// True for a cache in memory with equal collector settings.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MemoryCacheSettings else { return false }
    return collector.isEqual(other.collector)
  }

  /// The hash of the collector's settings.
  public override var hash: Int { collector.hash }
}

/// Documents go as soon as nothing needs them.
public final class MemoryEagerGCSetting: NSObject, MemoryGarbageCollectorSettings {
  /// The only setting.
  public override init() {}

  /// True for every object of the class, which has nothing to set.
  public override func isEqual(_ object: Any?) -> Bool { object is MemoryEagerGCSetting }

  /// The same number for all objects.
  public override var hash: Int { 1 }
}

/// Documents go when they are too many, the least recently used first.
public final class MemoryLRUGCSettings: NSObject, MemoryGarbageCollectorSettings {
  let sizeBytes: Int64

  /// A cache of 100 MB.
  public override init() { sizeBytes = FirestoreSettings.defaultCacheSize }

  /// A cache of at least a mebibyte, or without a bound; traps on less.
  public init(sizeBytes: NSNumber) {
    trapping { try MemoryLRUGCSettings.check(sizeBytes: sizeBytes) }
    self.sizeBytes = sizeBytes.int64Value
  }

  /// Throws `invalidArgument` where ``init(sizeBytes:)`` would trap.
  public static func check(sizeBytes: NSNumber) throws {
    try FirestoreSettings.check(cacheSize: sizeBytes.int64Value)
  }

  /// True for a collector of the same size.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? MemoryLRUGCSettings)?.sizeBytes == sizeBytes
  }

  /// A hash of the size.
  public override var hash: Int { sizeBytes.hashValue }
}
