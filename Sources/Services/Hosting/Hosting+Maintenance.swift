import BaseRuntime
import KeyValueStore
import ObjectStorage

// Automatic cleanup: previews that have ended, versions without a release or that were never
// finalized, and content without a version.

extension Hosting {
  /// A version that was begun that long ago and not finalized is given up: a day, in microseconds.
  private static let openLife: Int64 = 86_400_000_000

  /// Removes expired data until there is no more of it.
  package func sweep() async throws {
    let found = try await threads.run(on: .maintenance) { () throws -> [HostedVersion] in
      try self.endChannels()
      return try self.markVersions()
    }
    for version in found {
      while let blobs = try await threads.run(on: .maintenance, { try self.erase(version) }) {
        for blob in blobs { try await self.blobs.remove(blob) }
      }
    }
    try await threads.run(on: .maintenance) { try self.shared.sweep() }
  }

  /// Deletes preview channels that have ended, with their releases.
  private func endChannels() throws {
    let time = now
    for site in try sites(of: nil) {
      let ended = try engine.read { view in
        try view.hosted(below: HostingKey.below(.channel, site.name), as: HostedChannel.self)
      }.filter { $0.expiresAt.map { $0 <= time } ?? false }
      for channel in ended { try deleteChannel(channel.id, of: site.name, endedBy: time) }
    }
  }

  /// The versions to erase: deleted, given up, or of no release of a site any more.
  private func markVersions() throws -> [HostedVersion] {
    let all = try engine.read { view in
      try view.hosted(below: HostingKey.prefix(.version), as: HostedVersion.self)
    }
    let released = try engine.read { view in
      Set(
        try view.hosted(below: HostingKey.prefix(.release), as: HostedRelease.self)
          .compactMap(\.version)
      )
    }
    let old = now - Self.openLife
    return all.filter { version in
      switch version.status {
      case .deleted, .abandoned: true
      case .created: version.createdAt < old
      case .finalized: version.createdAt < old && !released.contains(version.id)
      }
    }
  }

  /// Erases a part of a version, and the content that no other version has; nil behind the last part.
  ///
  /// The first part marks it as deleted, so that no channel shows a version that has lost files.
  private func erase(_ version: HostedVersion) throws -> [BlobID]? {
    try engine.write(.background) { group in
      let versionKey = HostingKey.key(.version, version.site, version.id)
      guard let stored = try group.hosted(versionKey, as: HostedVersion.self),
        stored.status == version.status || stored.status == .deleted
      else { return nil }
      // It may have been released since it was looked at.
      let releases = try group.hosted(
        below: HostingKey.prefix(.release),
        as: HostedRelease.self
      )
      if stored.status == .finalized, releases.contains(where: { $0.version == version.id }) {
        return nil
      }
      let range = KeyRange(prefix: HostingKey.below(.file, version.site, version.id))
      let keys = try Self.keys(range, in: group, limit: 200)
      guard !keys.isEmpty else {
        try group.delete(versionKey)
        return nil
      }
      if stored.status != .deleted {
        var marked = stored
        marked.status = .deleted
        try put(marked, in: group)
      }
      var removed: [BlobID] = []
      for key in keys {
        let stored = try group.get(key)
        guard let hash = stored.flatMap({ ContentHash($0.prefix(32)) }) else { continue }
        try group.delete(key)
        try group.delete(HostingKey.use(hash, version.site, version.id))
        let uses = KeyRange(prefix: HostingKey.content(.use, hash))
        guard try Self.keys(uses, in: group, limit: 1).isEmpty else { continue }
        let content = try group.hosted(
          HostingKey.content(.content, hash),
          as: HostedContent.self
        )
        if let blob = content?.blob.flatMap({ BlobID(hexadecimal: $0) }) {
          if content?.isShared == true {
            try group.put(SharedContent.pendingKey(blob), SharedContent.time(0))
          } else {
            removed.append(blob)
          }
        }
        try group.delete(HostingKey.content(.content, hash))
        try group.delete(HostingKey.content(.bytes, hash))
      }
      return removed
    }
  }
}
