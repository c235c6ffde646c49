import FirebaseUI
import Foundation
import Testing

/// The cache of images by itself.
struct ImageCacheTests {
  private let base = FileManager.default.temporaryDirectory
    .appendingPathComponent("images-\(UUID().uuidString)")

  private func cache(memory: UInt = 0, disk: UInt = 0) -> SDImageCache {
    let cache = SDImageCache(namespace: "tests", diskCacheDirectory: base.path)
    cache.config.maxMemoryCost = memory
    cache.config.maxDiskSize = disk
    return cache
  }

  private func remove() throws {
    if FileManager.default.fileExists(atPath: base.path) {
      try FileManager.default.removeItem(at: base)
    }
  }

  private static func image(_ byte: UInt8, _ count: Int = 100) -> Data {
    Data(repeating: byte, count: count)
  }

  private static func keys(_ cache: SDImageCache, _ keys: String...) async -> [SDImageCacheType?] {
    var types: [SDImageCacheType?] = []
    for key in keys { types.append(await cache.imageData(forKey: key)?.type) }
    return types
  }

  @Test func `an image comes from memory, and after a restart from the disk`() async throws {
    let first = cache()
    await first.storeImageData(Self.image(1), forKey: "gs://b/1")
    let found = await first.imageData(forKey: "gs://b/1")
    #expect(found?.data == Self.image(1) && found?.type == .memory)
    let second = cache()
    let again = await second.imageData(forKey: "gs://b/1")
    #expect(again?.data == Self.image(1) && again?.type == .disk)
    #expect(await Self.keys(second, "gs://b/1", "gs://b/2") == [.memory, nil])
    try remove()
  }

  @Test func `memory keeps within its limit what was used last`() async throws {
    let cache = cache(memory: 250)
    for key in ["a", "b"] { await cache.storeImageData(Self.image(1), forKey: key) }
    _ = await cache.imageData(forKey: "a")
    await cache.storeImageData(Self.image(2), forKey: "c")
    #expect(cache.totalMemoryCost() == 200)
    #expect(await Self.keys(cache, "a", "c", "b") == [.memory, .memory, .disk])
    await cache.storeImageData(Self.image(3, 251), forKey: "large")
    #expect(await Self.keys(cache, "large") == [.disk] && cache.totalMemoryCost() <= 250)
    try remove()
  }

  @Test func `the disk keeps within its limit, and the oldest file goes first`() async throws {
    let cache = cache(disk: 330)
    for key in ["a", "b", "c"] { await cache.storeImageData(Self.image(1), forKey: key) }
    // Files of one moment are as old as each other.
    let files = try FileManager.default.contentsOfDirectory(atPath: cache.diskCachePath)
    #expect(files.count == 3)
    for file in files {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1)],
        ofItemAtPath: "\(cache.diskCachePath)/\(file)"
      )
    }
    cache.clearMemory()
    #expect(await Self.keys(cache, "a", "c") == [.disk, .disk])
    await cache.storeImageData(Self.image(2), forKey: "d")
    cache.clearMemory()
    #expect(await Self.keys(cache, "a", "b", "c", "d") == [.disk, nil, .disk, .disk])
    #expect(cache.totalDiskSize() <= 330)
    try remove()
  }

  @Test func `a file of another key or with a wrong length is none`() async throws {
    let first = cache()
    await first.storeImageData(Self.image(1), forKey: "a")
    let file = try #require(
      FileManager.default.contentsOfDirectory(atPath: first.diskCachePath).first
    )
    let path = URL(fileURLWithPath: first.diskCachePath).appendingPathComponent(file)
    for content in [Data(), Data([0, 0, 0, 9, 97]), Data([0, 0, 0, 1, 98, 7])] {
      try content.write(to: path)
      #expect(await Self.keys(cache(), "a") == [nil])
    }
    let second = cache()
    await second.storeImageData(Self.image(2), forKey: "a")
    #expect(await cache().imageData(forKey: "a")?.data == Self.image(2))
    try remove()
  }

  @Test func `what is removed is gone from memory and disk`() async throws {
    let cache = cache()
    for key in ["a", "b", "c"] { await cache.storeImageData(Self.image(1), forKey: key) }
    await cache.removeImageData(forKey: "a")
    #expect(await Self.keys(cache, "a", "b") == [nil, .memory])
    await cache.clear()
    #expect(await Self.keys(cache, "b", "c") == [nil, nil])
    #expect(cache.totalDiskSize() == 0 && cache.totalMemoryCost() == 0)
    try remove()
  }

  @Test func `of several caches the last one keeps what is new, and all are asked`() async throws {
    let (old, new) = (cache(), SDImageCache(namespace: "new", diskCacheDirectory: base.path))
    let row = SDImageCachesManager()
    row.addCache(old)
    row.addCache(new)
    await old.storeImageData(Self.image(1), forKey: "a")
    await row.storeImageData(Self.image(2), forKey: "b")
    #expect(await row.imageData(forKey: "a")?.data == Self.image(1))
    #expect(await Self.keys(new, "a", "b") == [nil, .memory])
    #expect(await Self.keys(old, "b") == [nil])
    row.removeCache(new)
    #expect(await row.imageData(forKey: "b") == nil)
    try remove()
  }

  @Test func `only its owner may look into the folder`() async throws {
    let cache = cache()
    await cache.storeImageData(Self.image(1), forKey: "a")
    let attributes = try FileManager.default.attributesOfItem(atPath: cache.diskCachePath)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    try remove()
  }
}
