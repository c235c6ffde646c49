import Foundation
import Locking

/// A cache without a bound.
public let FirestoreCacheSizeUnlimited: Int64 = -1

/// The address of a database, and its cache; to be set before the database is used.
public final class FirestoreSettings: NSObject, NSCopying, Sendable {
  struct Values: Sendable {
    var host = FirestoreSettings.defaultHost
    var isSSLEnabled = true
    var dispatchQueue = DispatchQueue.main
    var isPersistenceEnabled = true
    var cacheSizeBytes = FirestoreSettings.defaultCacheSize
    var cacheSettings: (any LocalCacheSettings & NSObjectProtocol)?
  }

  static let defaultHost = "firestore.googleapis.com"
  static let defaultCacheSize: Int64 = 104_857_600
  static let leastCacheSize: Int64 = 1_048_576

  private let stored: Lock<Values>

  /// The defaults: Google's server or the one that the app's options name, and a cache of 100 MB.
  public override init() { stored = Lock(Values()) }

  init(_ values: Values) { stored = Lock(values) }

  var values: Values { stored.withLock { $0 } }

  /// The server's name, with a port behind a colon where it is not the usual one.
  public var host: String {
    get { values.host }
    set {
      trapping { try Self.check(host: newValue) }
      stored.withLock { $0.host = newValue }
    }
  }

  /// True if requests go over TLS.
  public var isSSLEnabled: Bool {
    get { values.isSSLEnabled }
    set { stored.withLock { $0.isSSLEnabled = newValue } }
  }

  /// The queue on which callbacks and listeners are called: a serial queue, the main one unless
  /// set.
  public var dispatchQueue: DispatchQueue {
    get { values.dispatchQueue }
    set { stored.withLock { $0.dispatchQueue = newValue } }
  }

  /// True if the cache outlives the program.
  @available(*, deprecated, message: "Use cacheSettings instead.")
  public var isPersistenceEnabled: Bool {
    get { values.isPersistenceEnabled }
    set {
      trapping { try check(isPersistenceEnabled: newValue) }
      stored.withLock { $0.isPersistenceEnabled = newValue }
    }
  }

  /// The number of bytes that the cache keeps.
  @available(*, deprecated, message: "Use cacheSettings instead.")
  public var cacheSizeBytes: Int64 {
    get { values.cacheSizeBytes }
    set {
      trapping { try check(cacheSizeBytes: newValue) }
      stored.withLock { $0.cacheSizeBytes = newValue }
    }
  }

  /// The cache of the database.
  public var cacheSettings: any LocalCacheSettings & NSObjectProtocol {
    get {
      let values = values
      if let settings = values.cacheSettings { return settings }
      let size = NSNumber(value: values.cacheSizeBytes)
      if values.isPersistenceEnabled { return PersistentCacheSettings(sizeBytes: size) }
      return MemoryCacheSettings(
        garbageCollectorSettings: values.cacheSizeBytes == FirestoreCacheSizeUnlimited
          ? MemoryEagerGCSetting() : MemoryLRUGCSettings(sizeBytes: size)
      )
    }
    set {
      trapping { try check(cacheSettings: newValue) }
      stored.withLock { $0.cacheSettings = newValue }
    }
  }

  // MARK: Checks

  /// Throws `invalidArgument` where setting ``host`` would trap.
  public static func check(host: String) throws {
    try require(
      !host.isEmpty,
      "Host setting may not be empty. You should generally just use the default value (which is "
        + "\(defaultHost))"
    )
  }

  /// Throws `failedPrecondition` where setting ``isPersistenceEnabled`` would trap.
  public func check(isPersistenceEnabled: Bool) throws { try checkUnmixed() }

  /// Throws where setting ``cacheSizeBytes`` would trap: `failedPrecondition` beside cache settings, `invalidArgument` for
  /// less than a mebibyte.
  public func check(cacheSizeBytes: Int64) throws {
    try checkUnmixed()
    try Self.check(cacheSize: cacheSizeBytes)
  }

  /// Throws `failedPrecondition` where setting ``cacheSettings`` would trap.
  public func check(cacheSettings: any LocalCacheSettings & NSObjectProtocol) throws {
    let values = values
    try require(
      values.isPersistenceEnabled && values.cacheSizeBytes == Self.defaultCacheSize,
      .failedPrecondition,
      "Cannot set cacheSettings after isPersistenceEnabled or cacheSizeBytes was set."
    )
  }

  private func checkUnmixed() throws {
    try require(
      values.cacheSettings == nil,
      .failedPrecondition,
      "Cannot set isPersistenceEnabled or cacheSizeBytes after cacheSettings was set."
    )
  }

  static func check(cacheSize: Int64) throws {
    try require(
      cacheSize == FirestoreCacheSizeUnlimited || cacheSize >= leastCacheSize,
      "Cache size must be set to at least \(leastCacheSize) bytes"
    )
  }

  /// Another object with the same settings.
  public func copy(with zone: NSZone? = nil) -> Any { FirestoreSettings(values) }

  /// True for the same host, TLS, callback queue and cache.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? FirestoreSettings else { return false }
    let (left, right) = (values, other.values)
    return left.host == right.host && left.isSSLEnabled == right.isSSLEnabled
      && left.dispatchQueue === right.dispatchQueue
      && cacheSettings.isEqual(other.cacheSettings)
  }

  /// A hash of the host and of the use of TLS.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(host)
    hasher.combine(isSSLEnabled)
    return hasher.finalize()
  }
}
