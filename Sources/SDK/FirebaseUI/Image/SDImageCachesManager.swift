import Foundation
import Locking

/// Several caches in a row: the last added one is read first, and stores new items.
public final class SDImageCachesManager: NSObject, SDImageCacheProtocol, Sendable {
  /// The row of the app; it has ``SDImageCache/shared`` until others are added.
  public static let shared = SDImageCachesManager()

  private let row = Lock<[any SDImageCacheProtocol]>([])

  /// An empty row.
  public override init() {}

  /// The caches, in the order in which they were added.
  public var caches: [any SDImageCacheProtocol] {
    let added = row.withLock { $0 }
    return added.isEmpty ? [SDImageCache.shared] : added
  }

  /// Adds a cache, which is asked before the others.
  public func addCache(_ cache: any SDImageCacheProtocol) {
    row.withLock { $0.append(cache) }
  }

  /// Takes a cache out of the row.
  public func removeCache(_ cache: any SDImageCacheProtocol) {
    row.withLock { $0.removeAll { $0 === cache } }
  }

  /// An image's bytes, of the first cache that has them; nil where they are not kept.
  public func imageData(forKey key: String) async -> (data: Data, type: SDImageCacheType)? {
    for cache in caches.reversed() {
      if let found = await cache.imageData(forKey: key) { return found }
    }
    return nil
  }

  /// Keeps an image's bytes in the cache that was added last.
  public func storeImageData(_ data: Data, forKey key: String) async {
    await caches.last?.storeImageData(data, forKey: key)
  }

  /// Forgets an image in all caches.
  public func removeImageData(forKey key: String) async {
    for cache in caches { await cache.removeImageData(forKey: key) }
  }

  /// Forgets everything in all caches.
  public func clear() async {
    for cache in caches { await cache.clear() }
  }
}

/// The loader of images for views.
public enum SDWebImageManager {
  private static let cache = Lock<(any SDImageCacheProtocol)?>(nil)

  /// The cache of all loads that name none; nil is ``SDImageCache/shared``.
  public static var defaultImageCache: (any SDImageCacheProtocol)? {
    get { cache.withLock { $0 } }
    set { cache.withLock { $0 = newValue } }
  }
}
