import BaseJSON
import BaseStatus
import KeyValueStore

// Versions: filled file by file, finalized, deleted.

extension Hosting {
  /// The versions of a site, the newest first; those that are deleted are not among them.
  package func versions(of site: String) throws -> [HostedVersion] {
    try engine.read { view in
      try view.hosted(below: HostingKey.below(.version, site), as: HostedVersion.self)
    }.filter { $0.status != .deleted }.sorted { $0.createdAt > $1.createdAt }
  }

  /// A version of a site; NOT_FOUND where there is none.
  package func version(_ id: String, of site: String) throws -> HostedVersion {
    try engine.read { try Self.version(id, of: site, in: $0) }
  }

  static func version(
    _ id: String,
    of site: String,
    in reader: any KeyValueReader
  ) throws -> HostedVersion {
    let key = HostingKey.key(.version, site, id)
    guard let version = try reader.hosted(key, as: HostedVersion.self), version.status != .deleted
    else { throw ServiceError(.notFound, "The site \(site) has no version \(id.prefix(100)).") }
    return version
  }

  /// Begins a version without files.
  package func createVersion(
    of site: String,
    config: JSONValue,
    labels: [String: String],
    author: String
  ) throws -> HostedVersion {
    _ = try SiteRules(config)
    let open = try versions(of: site).count { $0.status == .created }
    guard open < configuration.maximumOpenVersions else {
      throw ServiceError(
        .resourceExhausted,
        "\(open) versions of \(site) are not finalized. Finalize them, or wait: they expire after a day."
      )
    }
    let version = HostedVersion(
      id: Self.randomDigits(16),
      site: site,
      status: .created,
      config: config.compact,
      labels: labels,
      createdAt: now,
      finalizedAt: nil,
      fileCount: 0,
      byteCount: 0,
      author: author
    )
    try engine.write { group in
      guard try group.get(HostingKey.key(.site, site)) != nil else { throw Self.noSite(site) }
      try put(version, in: group)
    }
    return version
  }

  /// Adds files by their content's hashes, and returns the hashes of content that is not there yet.
  package func populate(
    _ id: String,
    of site: String,
    with files: [(path: String, hash: ContentHash)]
  ) throws -> [ContentHash] {
    for file in files { try SitePath.check(file.path) }
    let existing = try engine.read { view in
      let range = KeyRange(prefix: HostingKey.below(.file, site, id))
      return try Self.keys(range, in: view, limit: configuration.maximumFiles).count
    }
    guard existing + files.count <= configuration.maximumFiles else {
      throw ServiceError.invalidArgument(
        "A version can have at most \(configuration.maximumFiles) files."
      )
    }
    return try engine.write { group in
      let version = try Self.version(id, of: site, in: group)
      guard version.status == .created else { throw Self.notOpen(version) }
      var missing: [ContentHash] = []
      var seen: Set<ContentHash> = []
      for file in files {
        try group.put(HostingKey.key(.file, site, id, file.path), file.hash.bytes)
        try group.putMarker(HostingKey.use(file.hash, site, id))
        if seen.insert(file.hash).inserted,
          try group.get(HostingKey.content(.content, file.hash)) == nil
        {
          missing.append(file.hash)
        }
      }
      return missing
    }
  }

  /// Sets the settable members of a version that is not finalized, and finalizes or abandons it.
  package func update(
    _ id: String,
    of site: String,
    status: HostedVersion.Status?,
    config: JSONValue?
  ) throws -> HostedVersion {
    var version = try version(id, of: site)
    if let config {
      _ = try SiteRules(config)
      guard version.status == .created else { throw Self.notOpen(version) }
      version.config = config.compact
    }
    switch status {
    case nil, .created?: break
    case .finalized?:
      guard version.status == .created else { throw Self.notOpen(version) }
      (version.fileCount, version.byteCount) = try complete(version)
      version.status = .finalized
      version.finalizedAt = now
    case .abandoned?: version.status = .abandoned
    case .deleted?: version.status = .deleted
    }
    let changed = version
    try engine.write { group in
      let stored = try Self.version(id, of: site, in: group)
      guard stored.status == .created || changed.status == .deleted else {
        throw Self.notOpen(stored)
      }
      try checkUnreleased(changed, in: group)
      try put(changed, in: group)
    }
    return version
  }

  /// Deletes a version that no channel shows.
  package func deleteVersion(_ id: String, of site: String) throws {
    _ = try update(id, of: site, status: .deleted, config: nil)
  }

  private func checkUnreleased(_ version: HostedVersion, in group: any KeyValueGroup) throws {
    guard version.status == .deleted || version.status == .abandoned else { return }
    let channels = try group.hosted(
      below: HostingKey.below(.channel, version.site),
      as: HostedChannel.self
    )
    if let shown = channels.first(where: { $0.release?.version == version.id }) {
      throw ServiceError(
        .failedPrecondition,
        "The version \(version.id) is live on the channel \(shown.id)."
      )
    }
  }

  /// Notes the sizes of a version's files, and counts them; FAILED_PRECONDITION where content is missing.
  private func complete(_ version: HostedVersion) throws -> (count: Int, bytes: Int64) {
    let range = KeyRange(prefix: HostingKey.below(.file, version.site, version.id))
    let keys = try engine.read { try Self.keys(range, in: $0) }
    var bytes: Int64 = 0
    for start in stride(from: 0, to: keys.count, by: 500) {
      bytes += try engine.write { group in
        var sum: Int64 = 0
        for key in keys[start..<min(start + 500, keys.count)] {
          guard let stored = try group.get(key), let hash = ContentHash(stored.prefix(32)),
            let content = try group.hosted(
              HostingKey.content(.content, hash),
              as: HostedContent.self
            )
          else {
            throw ServiceError(
              .failedPrecondition,
              "Content of the version is missing. Upload the files that populateFiles requested first."
            )
          }
          let file = HostedFile(
            hash: hash,
            size: content.size,
            unpackedSize: content.unpackedSize
          )
          try group.put(key, file.bytes)
          sum += content.size
        }
        return sum
      }
    }
    return (keys.count, bytes)
  }

  /// Copies the files of a version to a new one of a site, with its rules.
  package func clone(
    _ id: String,
    of source: String,
    to site: String,
    finalizing: Bool,
    author: String
  ) throws -> HostedVersion {
    let original = try version(id, of: source)
    guard original.status == .finalized else {
      throw ServiceError(.failedPrecondition, "The version \(id) is not finalized.")
    }
    let copy = try createVersion(
      of: site,
      config: try JSONValue(parsing: original.config),
      labels: original.labels,
      author: author
    )
    let files = try files(of: original)
    for start in stride(from: 0, to: files.count, by: 500) {
      let part = files[start..<min(start + 500, files.count)].map { ($0.path, $0.file.hash) }
      _ = try populate(copy.id, of: site, with: part)
    }
    return finalizing
      ? try update(copy.id, of: site, status: .finalized, config: nil) : copy
  }

  /// The files of a version, by path.
  package func files(of version: HostedVersion) throws -> [(path: String, file: HostedFile)] {
    let prefix = HostingKey.below(.file, version.site, version.id)
    return try engine.read { view in
      let cursor = try view.cursor(over: KeyRange(prefix: prefix), reversed: false)
      var found: [(path: String, file: HostedFile)] = []
      while try cursor.next() {
        guard let file = HostedFile(Array(cursor.value)) else { continue }
        let path = Array(cursor.key.dropFirst(prefix.count))
        found.append((String(decoding: path, as: UTF8.self), file))
      }
      return found
    }
  }

  private static func notOpen(_ version: HostedVersion) -> ServiceError {
    ServiceError(
      .failedPrecondition,
      "The version \(version.id) is \(version.status.rawValue) and can't be changed."
    )
  }
}
