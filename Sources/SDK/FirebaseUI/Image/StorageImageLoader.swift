import FirebaseStorage
import Foundation
import Locking

/// Loads images of Storage by way of a cache, each once at a time however many ask for it.
///
/// An object's bytes are taken to be the same for ever: an app that changes a photo gives it a new name.
public final class StorageImageLoader: NSObject, Sendable {
  /// The loader of all views, with ``SDWebImageManager/defaultImageCache``.
  public static let shared = StorageImageLoader()

  private let own: (any SDImageCacheProtocol)?
  private let limit = Lock<Int64>(10 << 20)
  private let loads = Lock<[String: Task<Data, any Error>]>([:])

  /// A loader with a cache of its own; nil is ``SDWebImageManager/defaultImageCache``.
  public init(cache: (any SDImageCacheProtocol)? = nil) {
    own = cache
  }

  /// The most bytes of an image.
  public var defaultMaxImageSize: Int64 {
    get { limit.withLock { $0 } }
    set { limit.withLock { $0 = newValue } }
  }

  private var cache: any SDImageCacheProtocol {
    own ?? SDWebImageManager.defaultImageCache ?? SDImageCache.shared
  }

  /// The key of an object's image in caches.
  public static func cacheKey(of reference: StorageReference) -> String { reference.description }

  /// An image's bytes, and where they came from.
  public func imageData(
    of reference: StorageReference
  ) async throws -> (data: Data, type: SDImageCacheType) {
    let key = Self.cacheKey(of: reference)
    let cache = cache
    if let found = await cache.imageData(forKey: key) { return found }
    return (try await download(reference, key, cache).value, .none)
  }

  /// The download in progress, or a new one.
  private func download(
    _ reference: StorageReference,
    _ key: String,
    _ cache: any SDImageCacheProtocol
  ) -> Task<Data, any Error> {
    let limit = defaultMaxImageSize
    return loads.withLock { loads in
      if let running = loads[key] { return running }
      let task = Task {
        defer { self.loads.withLock { $0[key] = nil } }
        let data = try await reference.data(maxSize: limit)
        await cache.storeImageData(data, forKey: key)
        return data
      }
      loads[key] = task
      return task
    }
  }
}
