/// The versions of the formats in which a store's records are written, one for each owner of keys.
///
/// A start checks them before anything else reads the store: a program never interprets records that a later one has
/// written in another form.
///
/// FORMAT: the first byte of `KeyOwner.formats`, the first byte of the owner's keys; the value is the version (4 bytes,
/// big-endian). An owner without a record has version 1, the form of stores from before there were records.
package enum StoredFormats {
  /// Refuses a store in which one of the owners has a newer format than this program's; raises the versions of those that
  /// have an older one.
  ///
  /// - Throws: `newerFormat`, with nothing written.
  package static func check(_ owners: [KeyOwner], in engine: any KeyValueEngine) throws {
    let outdated = try engine.read { reader in
      try owners.filter { try version(of: $0, in: reader) < $0.format }
    }
    guard !outdated.isEmpty else { return }
    try engine.write { group in
      for owner in outdated { try group.put(key(of: owner), bytes(owner.format)) }
    }
  }

  private static func version(
    of owner: KeyOwner,
    in reader: any KeyValueReader
  ) throws -> UInt32 {
    guard let stored = try reader.get(key(of: owner)) else { return 1 }
    guard stored.count == 4 else {
      throw KeyValueError(.corruption, "the format of \(owner.name) is not a version")
    }
    let version = stored.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    guard version <= owner.format else {
      throw KeyValueError(
        .newerFormat,
        """
        A newer version of Brasa has written this data: \(owner.name) has format \(version), and this program knows \
        formats up to \(owner.format). Start that version, or restore a backup from before the upgrade.
        """
      )
    }
    return version
  }

  private static func key(of owner: KeyOwner) -> [UInt8] {
    [KeyOwner.formats.firstBytes.lowerBound, owner.firstBytes.lowerBound]
  }

  private static func bytes(_ version: UInt32) -> [UInt8] {
    withUnsafeBytes(of: version.bigEndian) { Array($0) }
  }
}
