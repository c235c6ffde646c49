import Foundation

/// The source of an image.
public enum SDImageCacheType: Int, Sendable {
  /// The network.
  case none = 0
  /// A file of the cache.
  case disk = 1
  /// The cache's memory.
  case memory = 2
}

/// A store of images by their keys: one cache, or several in a row.
public protocol SDImageCacheProtocol: AnyObject, Sendable {
  /// An image's bytes; nil where they are not kept.
  func imageData(forKey key: String) async -> (data: Data, type: SDImageCacheType)?
  /// Keeps an image's bytes.
  func storeImageData(_ data: Data, forKey key: String) async
  /// Forgets an image.
  func removeImageData(forKey key: String) async
  /// Forgets everything.
  func clear() async
}
