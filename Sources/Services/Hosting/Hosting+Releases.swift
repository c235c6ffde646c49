import BaseStatus
import KeyValueStore

// Channels and what they show.

extension Hosting {
  /// The channels of a site that have not ended.
  package func channels(of site: String) throws -> [HostedChannel] {
    guard try self.site(site) != nil else { throw Self.noSite(site) }
    let all = try engine.read { view in
      try view.hosted(below: HostingKey.below(.channel, site), as: HostedChannel.self)
    }
    return all.filter { $0.expiresAt.map { $0 > now } ?? true }
  }

  /// A channel of a site; NOT_FOUND where there is none, or it has ended.
  package func channel(_ id: String, of site: String) throws -> HostedChannel {
    guard let channel = try channels(of: site).first(where: { $0.id == id }) else {
      throw ServiceError(.notFound, "The site \(site) has no channel \(id.prefix(100)).")
    }
    return channel
  }

  /// The longest life of a preview: 30 days, in seconds.
  package static let maximumLife: Int64 = 30 * 86_400

  /// Makes a preview channel, which ends after that many seconds, or at the latest after 30 days.
  package func createChannel(_ id: String, of site: String, life: Int64?) throws -> HostedChannel {
    try createChannel(id, of: site, life: life) { _ in
      throw ServiceError(.alreadyExists, "The channel \(id) already exists.")
    }
  }

  /// The channel of a name, made where there is none or it has ended.
  package func channelToDeploy(
    _ id: String,
    of site: String,
    life: Int64? = nil
  ) throws -> HostedChannel {
    if let channel = try channels(of: site).first(where: { $0.id == id }) { return channel }
    return try createChannel(id, of: site, life: life) { $0 }
  }

  /// Makes a channel unless it exists, which may be since another node or request made it at the same time.
  private func createChannel(
    _ id: String,
    of site: String,
    life: Int64?,
    orUse existing: (HostedChannel) throws -> HostedChannel
  ) throws -> HostedChannel {
    try SiteName.checkChannel(id)
    let life = try Self.life(life)
    let known = try channels(of: site)
    guard known.count < configuration.maximumChannels else {
      throw ServiceError(
        .resourceExhausted,
        "The site already has \(known.count) channels. Delete one first."
      )
    }
    let time = now
    let channel = HostedChannel(
      id: id,
      createdAt: time,
      updatedAt: time,
      expiresAt: time + life * 1_000_000,
      label: SiteName.label(site, id, suffix: Self.randomDigits(8)),
      release: nil
    )
    return try changing { group in
      let key = HostingKey.key(.channel, site, id)
      if let made = try group.hosted(key, as: HostedChannel.self),
        made.expiresAt.map({ $0 > time }) ?? true
      {
        return try existing(made)
      }
      try put(channel, of: site, in: group)
      return channel
    }
  }

  /// Gives a preview channel that many seconds more from now on.
  package func extendChannel(_ id: String, of site: String, life: Int64) throws -> HostedChannel {
    let life = try Self.life(life)
    guard id != HostedChannel.live else {
      throw ServiceError.invalidArgument("The live channel can't expire.")
    }
    return try changing { group in
      let key = HostingKey.key(.channel, site, id)
      guard var channel = try group.hosted(key, as: HostedChannel.self) else {
        throw ServiceError(.notFound, "The site \(site) has no channel \(id.prefix(100)).")
      }
      channel.updatedAt = now
      channel.expiresAt = now + life * 1_000_000
      try put(channel, of: site, in: group)
      return channel
    }
  }

  /// Ends a preview channel.
  ///
  /// - Parameter time: The time up to which it must have ended by itself, else it stays; nil ends
  ///   it at any time.
  package func deleteChannel(_ id: String, of site: String, endedBy time: Int64? = nil) throws {
    guard id != HostedChannel.live else {
      throw ServiceError.invalidArgument(
        "The live channel can't be deleted. Delete the site instead."
      )
    }
    try changing { group in
      let key = HostingKey.key(.channel, site, id)
      guard let channel = try group.hosted(key, as: HostedChannel.self) else {
        if time != nil { return }
        throw ServiceError(.notFound, "The site \(site) has no channel \(id.prefix(100)).")
      }
      if let time, channel.expiresAt.map({ $0 > time }) ?? true { return }
      try group.delete(key)
      let range = KeyRange(prefix: HostingKey.below(.release, site, id))
      for release in try Self.keys(range, in: group) { try group.delete(release) }
    }
  }

  private static func life(_ seconds: Int64?) throws(ServiceError) -> Int64 {
    let life = seconds ?? 7 * 86_400
    guard (1...maximumLife).contains(life) else {
      throw .invalidArgument("A channel can live for at most 30 days.")
    }
    return life
  }

  /// Shows a finalized version on a channel, or nothing where there is no version.
  package func release(
    _ version: String?,
    on channel: String,
    of site: String,
    kind: HostedRelease.Kind,
    message: String,
    author: String
  ) throws -> HostedRelease {
    guard message.utf8.count <= 512 else {
      throw ServiceError.invalidArgument("A release's message can have at most 512 bytes.")
    }
    let current = try self.channel(channel, of: site)
    if let version, try self.version(version, of: site).status != .finalized {
      throw ServiceError(.failedPrecondition, "The version \(version) is not finalized.")
    }
    return try changing { group in
      // It may have been deleted since it was looked at.
      if let version, try Self.version(version, of: site, in: group).status != .finalized {
        throw ServiceError(.failedPrecondition, "The version \(version) is not finalized.")
      }
      let key = HostingKey.key(.channel, site, channel)
      var shown = try group.hosted(key, as: HostedChannel.self) ?? current
      // Two releases of one microsecond would be one.
      let time = max(now, (shown.release?.time ?? 0) + 1)
      let release = HostedRelease(
        id: "\(time)",
        version: version,
        kind: kind,
        message: message,
        time: time,
        author: author
      )
      shown.release = release
      shown.updatedAt = time
      try put(shown, of: site, in: group)
      try group.put(
        HostingKey.release(site, channel, time),
        try HostingRecord.bytes(release)
      )
      let all = KeyRange(prefix: HostingKey.below(.release, site, channel))
      for old in try Self.keys(all, in: group).dropFirst(configuration.keptReleases) {
        try group.delete(old)
      }
      return release
    }
  }

  /// The releases of a channel, the newest first.
  package func releases(on channel: String, of site: String) throws -> [HostedRelease] {
    try engine.read { view in
      try view.hosted(
        below: HostingKey.below(.release, site, channel),
        as: HostedRelease.self,
        limit: configuration.keptReleases
      )
    }
  }

  /// Shows again what the channel showed before the current release, or at the release of an id.
  package func rollBack(
    _ channel: String,
    of site: String,
    to id: String?,
    author: String
  ) throws -> HostedRelease {
    let all = try releases(on: channel, of: site)
    let earlier = all.dropFirst().first { release in
      if let id { return release.id == id || release.version == id }
      return release.version != nil && release.version != all.first?.version
    }
    guard let version = earlier?.version else {
      throw ServiceError(.failedPrecondition, "There is no earlier release to roll back to.")
    }
    return try release(
      version,
      on: channel,
      of: site,
      kind: .rollback,
      message: "",
      author: author
    )
  }
}
