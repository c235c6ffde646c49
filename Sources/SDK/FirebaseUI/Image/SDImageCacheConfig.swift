import Locking

/// The limits of an image cache; free to change at any time.
public final class SDImageCacheConfig: Sendable {
  private let limits = Lock<(memory: UInt, disk: UInt)>((0, 0))

  /// No limits.
  public init() {}

  /// The most bytes of images in memory; 0 is no limit.
  public var maxMemoryCost: UInt {
    get { limits.withLock { $0.memory } }
    set { limits.withLock { $0.memory = newValue } }
  }

  /// The most bytes of files on the disk; 0 is no limit.
  public var maxDiskSize: UInt {
    get { limits.withLock { $0.disk } }
    set { limits.withLock { $0.disk = newValue } }
  }
}
