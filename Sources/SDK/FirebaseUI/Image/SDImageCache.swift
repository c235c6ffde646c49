import FirebaseCore
import Foundation
import Locking

/// A cache of images' bytes in memory and in a folder, each with its limit.
///
/// A failure of the disk is in the log and otherwise as if the image were not kept. May be used from any thread; the
/// files are read and written on a queue of the cache.
public final class SDImageCache: NSObject, SDImageCacheProtocol, Sendable {
  /// The cache of apps that make none.
  public static let shared = SDImageCache(namespace: "default")

  /// The limits.
  public let config = SDImageCacheConfig()
  /// The folder.
  public let diskCachePath: String
  private let memory = Lock(ImageMemory())
  private let disk: Lock<ImageDisk>
  private let queue = DispatchQueue(label: "FirebaseUI.images")

  /// A cache by its name, in the user's folder for caches.
  public convenience init(namespace: String) {
    self.init(namespace: namespace, diskCacheDirectory: nil)
  }

  /// A cache by its name below a folder; nil is the user's folder for caches.
  public init(namespace: String, diskCacheDirectory directory: String?) {
    let base = directory.map { URL(fileURLWithPath: $0, isDirectory: true) } ?? Self.cachesDirectory
    let folder = base.appendingPathComponent("com.firebase.ui.images", isDirectory: true)
      .appendingPathComponent(namespace, isDirectory: true)
    diskCachePath = folder.path
    disk = Lock(ImageDisk(folder: folder))
  }

  /// An image's bytes, from memory or else from the disk; nil where they are not kept.
  public func imageData(forKey key: String) async -> (data: Data, type: SDImageCacheType)? {
    if let data = memory.withLock({ $0.data(forKey: key) }) { return (data, .memory) }
    guard let data = await onQueue({ cache in cache.diskImageData(forKey: key) }) else {
      return nil
    }
    keepInMemory(data, key)
    return (data, .disk)
  }

  /// Keeps an image's bytes in memory and on the disk, within the limits.
  public func storeImageData(_ data: Data, forKey key: String) async {
    keepInMemory(data, key)
    await onQueue { cache in cache.storeImageData(toDisk: data, forKey: key) }
  }

  /// Forgets an image.
  public func removeImageData(forKey key: String) async {
    memory.withLock { $0.remove(key) }
    await onQueue { cache in cache.change { disk in try disk.remove(key) } }
  }

  /// Forgets everything, in memory and on the disk.
  public func clear() async {
    clearMemory()
    await onQueue { cache in cache.change { disk in try disk.removeAll() } }
  }

  /// Clears the memory.
  public func clearMemory() { memory.withLock { $0.removeAll() } }

  /// Removes the files.
  public func clearDisk(onCompletion completion: (@Sendable () -> Void)? = nil) {
    queue.async { [self] in
      change { disk in try disk.removeAll() }
      completion?()
    }
  }

  /// Writes a file; blocks the thread.
  public func storeImageData(toDisk data: Data, forKey key: String) {
    let limit = config.maxDiskSize
    change { disk in try disk.store(data, forKey: key, limit: limit) }
  }

  /// Reads a file; blocks the thread.
  public func diskImageData(forKey key: String) -> Data? {
    disk.withLock { disk in
      do {
        return try disk.data(forKey: key)
      } catch {
        Self.log(error)
        return nil
      }
    }
  }

  /// The bytes of the images in memory.
  public func totalMemoryCost() -> UInt { memory.withLock { $0.cost } }

  /// The bytes of the files; blocks the thread.
  public func totalDiskSize() -> UInt {
    disk.withLock { disk in
      do {
        return try disk.total()
      } catch {
        Self.log(error)
        return 0
      }
    }
  }

  private func keepInMemory(_ data: Data, _ key: String) {
    let limit = config.maxMemoryCost
    memory.withLock { $0.store(data, forKey: key, limit: limit) }
  }

  private func change(_ body: (inout ImageDisk) throws -> Void) {
    disk.withLock { disk in
      do {
        try body(&disk)
      } catch {
        Self.log(error)
      }
    }
  }

  private func onQueue<Value: Sendable>(
    _ body: @escaping @Sendable (SDImageCache) -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: body(self)) }
    }
  }

  private static var cachesDirectory: URL {
    let manager = FileManager.default
    return manager.urls(for: .cachesDirectory, in: .userDomainMask).first
      ?? manager.temporaryDirectory
  }

  private static func log(_ error: any Error) {
    FirebaseLog.write(.warning, "FirebaseUI", "I-FUI000001", "The image cache: \(error)")
  }
}
