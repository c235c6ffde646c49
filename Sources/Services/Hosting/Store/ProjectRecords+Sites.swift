import KeyValueStore
import ObjectStorage

extension ProjectRecords {
  /// A project's sites with their versions, releases, domains and content.
  package static let hosting = ProjectRecords(of: .hosting) { project, reader, take in
    let sites = try reader.hosted(below: HostingKey.prefix(.site), as: HostedSite.self)
      .filter { $0.project == project }.map(\.name)
    for site in sites {
      try reader.take(
        KeyRange(prefix: HostingKey.key(.site, site)),
        where: { key, _ in key.count == HostingKey.key(.site, site).count },
        take
      )
      for kind in [HostingKey.Kind.version, .file, .channel, .release] {
        try reader.take(KeyRange(prefix: HostingKey.below(kind, site)), take)
      }
    }
    try reader.take(
      KeyRange(prefix: HostingKey.prefix(.domain)),
      where: { _, value in sites.contains(String(decoding: value, as: UTF8.self)) },
      take
    )
    var contents: Set<ContentHash> = []
    try reader.take(KeyRange(prefix: HostingKey.prefix(.use))) { key, value in
      let names = key.dropFirst(HostingKey.prefix(.use).count)
      guard let hash = ContentHash(names.prefix(32)),
        sites.contains(String(decoding: names.dropFirst(32).prefix { $0 != 0 }, as: UTF8.self))
      else { return }
      contents.insert(hash)
      try take(key, value)
    }
    for hash in contents {
      let content = try reader.hosted(HostingKey.content(.content, hash), as: HostedContent.self)
      if content?.isShared == true, let blob = content?.blob.flatMap({ BlobID(hexadecimal: $0) }) {
        try reader.take(SharedContent.parts(of: blob), take)
      }
      for kind in [HostingKey.Kind.content, .bytes] {
        try reader.take(KeyRange(prefix: HostingKey.content(kind, hash)), take)
      }
    }
  }
}
