import Foundation

/// Images in memory; what was used least recently goes first.
struct ImageMemory {
  private var entries: [String: (data: Data, use: UInt64)] = [:]
  private var uses: UInt64 = 0
  /// The bytes of all images.
  private(set) var cost: UInt = 0

  /// An image, which counts as used.
  mutating func data(forKey key: String) -> Data? {
    guard let data = entries[key]?.data else { return nil }
    uses += 1
    entries[key]?.use = uses
    return data
  }

  /// Keeps an image within the limit; one that is larger than all of it is not kept.
  mutating func store(_ data: Data, forKey key: String, limit: UInt) {
    remove(key)
    guard limit == 0 || data.count <= limit else { return }
    uses += 1
    entries[key] = (data, uses)
    cost += UInt(data.count)
    trim(to: limit)
  }

  mutating func remove(_ key: String) {
    guard let removed = entries.removeValue(forKey: key) else { return }
    cost -= UInt(removed.data.count)
  }

  mutating func removeAll() { self = ImageMemory() }

  private mutating func trim(to limit: UInt) {
    guard limit > 0, cost > limit else { return }
    for (key, _) in entries.sorted(by: { $0.value.use < $1.value.use }) {
      guard cost > limit else { return }
      remove(key)
    }
  }
}
