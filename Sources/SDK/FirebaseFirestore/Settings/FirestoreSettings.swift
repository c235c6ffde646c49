import Foundation
import Synchronization

/// A cache without a bound.
public let FirestoreCacheSizeUnlimited: Int64 = -1

/// Where a database is, and how it is cached; to be set before the database is used.
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

  private let stored: Mutex<Values>

  /// The defaults: Google's server or the one that the app's options name, and a cache of 100 MB.
  public override init() { stored = Mutex(Values()) }

  init(_ values: Values) { stored = Mutex(values) }

  var values: Values { stored.withLock { $0 } }

  /// The server's name, with a port behind a colon where it is not the usual one.
  public var host: String {
    get { values.host }
    set {
      precondition(
        !newValue.isEmpty,
        "Host setting may not be empty. You should generally just use the default value (which is "
          + "\(Self.defaultHost))"
      )
      stored.withLock { $0.host = newValue }
    }
  }

  /// Whether requests go over TLS.
  public var isSSLEnabled: Bool {
    get { values.isSSLEnabled }
    set { stored.withLock { $0.isSSLEnabled = newValue } }
  }

  /// Where callbacks and listeners are called: a serial queue, the main one unless set.
  public var dispatchQueue: DispatchQueue {
    get { values.dispatchQueue }
    set { stored.withLock { $0.dispatchQueue = newValue } }
  }

  /// Whether the cache outlives the program.
  @available(*, deprecated, message: "Use cacheSettings instead.")
  public var isPersistenceEnabled: Bool {
    get { values.isPersistenceEnabled }
    set {
      checkUnmixed()
      stored.withLock { $0.isPersistenceEnabled = newValue }
    }
  }

  /// How many bytes the cache keeps.
  @available(*, deprecated, message: "Use cacheSettings instead.")
  public var cacheSizeBytes: Int64 {
    get { values.cacheSizeBytes }
    set {
      checkUnmixed()
      Self.check(cacheSize: newValue)
      stored.withLock { $0.cacheSizeBytes = newValue }
    }
  }

  /// How the database is cached.
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
      stored.withLock { values in
        precondition(
          values.isPersistenceEnabled && values.cacheSizeBytes == Self.defaultCacheSize,
          "Cannot set cacheSettings after isPersistenceEnabled or cacheSizeBytes was set."
        )
        values.cacheSettings = newValue
      }
    }
  }

  private func checkUnmixed() {
    precondition(
      values.cacheSettings == nil,
      "Cannot set isPersistenceEnabled or cacheSizeBytes after cacheSettings was set."
    )
  }

  static func check(cacheSize: Int64) {
    precondition(
      cacheSize == FirestoreCacheSizeUnlimited || cacheSize >= leastCacheSize,
      "Cache size must be set to at least \(leastCacheSize) bytes"
    )
  }

  /// Another object with the same settings.
  public func copy(with zone: NSZone? = nil) -> Any { FirestoreSettings(values) }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? FirestoreSettings else { return false }
    let (left, right) = (values, other.values)
    return left.host == right.host && left.isSSLEnabled == right.isSSLEnabled
      && left.dispatchQueue === right.dispatchQueue
      && cacheSettings.isEqual(other.cacheSettings)
  }

  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(host)
    hasher.combine(isSSLEnabled)
    return hasher.finalize()
  }
}
