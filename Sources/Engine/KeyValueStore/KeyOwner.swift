// The first byte of a key says whose it is:
//
//   0x00          the engine itself      KeyValueRocksDB/Time/TimeRecord.swift
//   0x01 ... 0x4F document databases     DocumentStore/Key/KeySpace.swift
//   0x50 ... 0x5F accounts               Authentication/Key/AccountKey.swift
//   0x60 ... 0x6F files                  ObjectStorage/Key/StorageKey.swift
//   0x90 ... 0x9F templates of apps' configuration   ConfigTemplates/Store/TemplateKey.swift
//   0xA0 ... 0xAF installations          Installations/InstallationTokens.swift
//   0xB0 ... 0xBF messages               PushMessaging/Store/MessagingKey.swift
//   0xC0 ... 0xCF nodes of a cluster     brasa/Nodes/NodeSecret.swift
//   0xD0 ... 0xDF formats of these       Value/StoredFormats.swift
//   0xE0 ... 0xEF jobs of the console    Console/Operations/JobHistory.swift
//   0xF0 ... 0xFE audit trail            AuditTrail/AuditTrail.swift
//   all others    nobody yet
//
// A service that comes takes sixteen bytes: a line here, a constant and its name in the table. Analytics has an engine of
// its own, all of whose keys are its own but for those of the formats.

/// The owner of a key range of the engine: all keys whose first byte lies in a range.
///
/// An owner writes, erases and verifies its own keys alone; no key lies in the ranges of two.
package struct KeyOwner: Sendable, Hashable {
  /// A lower-case word for reports, unique in its engine.
  package let name: String
  /// The first bytes of the owner's keys; they overlap no other range in the same engine.
  package let firstBytes: ClosedRange<UInt8>
  /// The version of the records that this program writes; it reads all versions up to it.
  ///
  /// A change after which an older program would misread the records raises it.
  package let format: UInt32

  /// An owner by its name, the first bytes of its keys and the version of its records.
  package init(_ name: String, firstBytes: ClosedRange<UInt8>, format: UInt32 = 1) {
    self.name = name
    self.firstBytes = firstBytes
    self.format = format
  }

  /// The engine's own records, which no caller reads or writes.
  package static let engine = KeyOwner("engine", firstBytes: 0x00...0x00)
  /// The document databases with their indexes, history and logs, and the rules.
  package static let databases = KeyOwner("databases", firstBytes: 0x01...0x4F)
  /// Users, tokens, codes, keys and the set-up of projects.
  package static let accounts = KeyOwner("accounts", firstBytes: 0x50...0x5F)
  /// Buckets, objects' metadata, small objects' bytes and uploads; other bytes are in files.
  package static let files = KeyOwner("files", firstBytes: 0x60...0x6F)
  /// The templates of apps' configuration, their versions and drafts.
  package static let config = KeyOwner("config", firstBytes: 0x90...0x9F)
  /// The secret of apps' installations.
  package static let installations = KeyOwner("installations", firstBytes: 0xA0...0xAF)
  /// Registrations, topics, messages and their queues.
  package static let messages = KeyOwner("messages", firstBytes: 0xB0...0xBF)
  /// The secret of the nodes that share a store.
  package static let nodes = KeyOwner("nodes", firstBytes: 0xC0...0xCF)
  /// The versions of all owners' formats.
  package static let formats = KeyOwner("formats", firstBytes: 0xD0...0xDF)
  /// Events of apps, in the engine of analytics.
  package static let events = KeyOwner("events", firstBytes: 0x10...0x4F)
  /// Jobs that administrators started, with what they came to.
  package static let jobs = KeyOwner("jobs", firstBytes: 0xE0...0xEF)
  /// What administrators did, in the order in which they did it.
  package static let audit = KeyOwner("audit", firstBytes: 0xF0...0xFE)

  /// The owner's keys.
  package var range: KeyRange {
    KeyRange(
      lower: [firstBytes.lowerBound],
      upper: KeyRange.successor(ofPrefix: [firstBytes.upperBound])
    )
  }
}

/// The owners of an engine's keys, no two of which have a key in common.
package struct KeyOwnerTable: Sendable {
  /// In the order of their keys.
  package let owners: [KeyOwner]

  /// A table of these owners; nil where two of them overlap or have one name.
  package init?(_ owners: [KeyOwner]) {
    self.owners = owners.sorted { $0.firstBytes.lowerBound < $1.firstBytes.lowerBound }
    let overlaps = zip(self.owners, self.owners.dropFirst()).contains { left, right in
      left.firstBytes.overlaps(right.firstBytes)
    }
    guard !overlaps, Set(owners.map(\.name)).count == owners.count else { return nil }
  }

  /// Every owner there is.
  package static let registered: KeyOwnerTable = {
    guard
      let table = KeyOwnerTable([
        .engine, .databases, .accounts, .files, .config, .installations, .messages, .nodes,
        .formats, .jobs, .audit,
      ])
    else {
      preconditionFailure("two owners of keys overlap")
    }
    return table
  }()

  /// Whose key it is; nil for a key of nobody.
  package func owner(ofKey key: [UInt8]) -> KeyOwner? {
    guard let first = key.first else { return nil }
    return owners.first { $0.firstBytes.contains(first) }
  }
}
