// swift-format-ignore-file
// The listings are the book's, with its force unwraps and its returns.
import FirebaseUI

extension Chapter13 {
  // 13.6: the end of the app's `init`
  static func configureCache() -> SDImageCache {
    let cache = SDImageCache(namespace: "tiny")
    cache.config.maxMemoryCost = 100 * 1024 * 1024  // 100MB memory
    cache.config.maxDiskSize = 50 * 1024 * 1024  // 50MB disk
    SDImageCachesManager.shared.addCache(cache)
    SDWebImageManager.defaultImageCache = SDImageCachesManager.shared
    return cache
  }
}
