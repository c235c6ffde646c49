/// The versions of the formats in which a store's records are written, one for each owner of keys.
///
/// A start checks them before anything else reads the store: a program never interprets records that a later one has
/// written in another form.
///
/// FORMAT: the first byte of `KeyOwner.formats`, the first byte of the owner's keys; the value is the version (4 bytes,
/// big-endian). An owner without a record has version 1, the form of stores from before there were records.
package enum StoredFormats {
  /// An owner's records that are in an older format than this program writes.
  package struct Upgrade: Sendable, Hashable {
    /// The owner's name.
    package let owner: String
    /// The version of the stored records.
    package let stored: UInt32
    /// The version that this program writes.
    package let current: UInt32

    /// The upgrade of an owner from one version to another.
    package init(owner: String, stored: UInt32, current: UInt32) {
      (self.owner, self.stored, self.current) = (owner, stored, current)
    }
  }

  /// Refuses a store in which one of the owners has a newer format than this program's; raises the versions of those that
  /// have an older one, and returns them.
  ///
  /// - Throws: `newerFormat`, with nothing written.
  @discardableResult
  package static func check(
    _ owners: [KeyOwner],
    in engine: any KeyValueEngine
  ) throws -> [Upgrade] {
    let outdated = try engine.read { reader in
      try upgrades(of: owners) { try reader.get($0) }
    }
    guard !outdated.isEmpty else { return [] }
    let names = Set(outdated.map(\.owner))
    try engine.write { group in
      for owner in owners where names.contains(owner.name) {
        try group.put(key(of: owner), bytes(owner.format))
      }
    }
    return outdated
  }

  /// The upgrades that a start makes of a store whose records a closure reads.
  ///
  /// - Throws: `newerFormat` where one of the owners has a newer format than this program's.
  package static func upgrades(
    of owners: [KeyOwner],
    _ read: ([UInt8]) throws -> [UInt8]?
  ) throws -> [Upgrade] {
    try owners.compactMap { try upgrade(of: $0, read) }
  }

  private static func upgrade(
    of owner: KeyOwner,
    _ read: ([UInt8]) throws -> [UInt8]?
  ) throws -> Upgrade? {
    guard let stored = try read(key(of: owner)) else { return upgrade(of: owner, from: 1) }
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
    return upgrade(of: owner, from: version)
  }

  private static func upgrade(of owner: KeyOwner, from stored: UInt32) -> Upgrade? {
    guard stored < owner.format else { return nil }
    return Upgrade(owner: owner.name, stored: stored, current: owner.format)
  }

  private static func key(of owner: KeyOwner) -> [UInt8] {
    [KeyOwner.formats.firstBytes.lowerBound, owner.firstBytes.lowerBound]
  }

  private static func bytes(_ version: UInt32) -> [UInt8] {
    withUnsafeBytes(of: version.bigEndian) { Array($0) }
  }
}
