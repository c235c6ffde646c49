import BaseText
import KeyValueStore

extension ObjectStorage {
  /// The keys of HMAC keys in the store.
  package static let hmacKeyRange = KeyRange(prefix: StorageKey.prefix(.hmacKey))

  /// Takes back HMAC keys that were deactivated or deleted later, in a store that was brought back to an earlier instant.
  ///
  /// Blocks.
  ///
  /// - Parameter later: Keys of the store in `hmacKeyRange` with their records of later; nil where they were removed.
  /// - Returns: A line for each key that was taken back.
  package func restrictHMACKeys(
    toLater later: [(key: [UInt8], record: [UInt8]?)]
  ) throws -> [String] {
    let prefix = StorageKey.prefix(.hmacKey).count
    var lines: [String] = []
    for (name, record) in later {
      let id = Text(String(decoding: name[min(prefix, name.count)...], as: UTF8.self))
      let state = try record.map { try HMACKey(id, RecordReader($0)).state } ?? .deleted
      guard state != .active else { continue }
      let isTaken = try engine.write { group in
        guard var key = try group.hmacKey(id), key.state != state, key.state != .deleted else {
          return false
        }
        key.state = state
        if state == .deleted { key.secret = nil }
        key.updated += 1
        try group.put(name, key.bytes)
        return true
      }
      guard isTaken else { continue }
      lines.append("\(state == .deleted ? "deleted" : "inactive") again: HMAC key \(id)")
    }
    return lines
  }
}
