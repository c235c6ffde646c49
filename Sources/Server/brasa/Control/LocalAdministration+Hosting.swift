import BaseJSON
import BaseStatus
import BaseText
import Dispatch
import FirestoreModel
import FirestoreWire
import Hosting
import StorageAPI
import Synchronization

extension LocalAdministration {
  /// Does what `brasa hosting` asks, on one project.
  func hosting(
    _ request: HostingRequest,
    project: String,
    _ input: () throws -> [UInt8]?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    try DatabaseID(project: Text(project), database: "(default)").checkCreatable()
    let work = HostingWork(hosting: sites, project: project)
    switch request {
    case .sites: try work.list(output)
    case .createSite(let name):
      _ = try sites.createSite(name, of: project)
      try output(.finished(summary: "created the site \(name)"))
    case .deleteSite(let name):
      try sites.deleteSite(try work.own(name).name)
      try output(.finished(summary: "deleted the site \(name)"))
    case .addDomain(let host, let site):
      try sites.addDomain(host.lowercased(), to: try work.own(site).name)
      try output(.finished(summary: "\(host) shows \(site)"))
    case .removeDomain(let host, let site):
      try sites.removeDomain(host.lowercased(), from: try work.own(site).name)
      try output(.finished(summary: "\(host) was removed"))
    case .begin(let site, let config): try work.begin(site, config, input, output)
    case .upload(let site, let version): try work.upload(site, version, input, output)
    case .release(let site, let version, let channel, let message):
      try work.release(site, version, channel, message, output)
    case .releases(let site, let channel): try work.releases(site, channel, output)
    case .rollBack(let site, let channel, let id):
      let release = try sites.rollBack(
        channel,
        of: try work.own(site).name,
        to: id,
        author: HostingWork.author
      )
      try output(.finished(summary: "\(site) shows \(release.version ?? "nothing") again"))
    case .channels(let site): try work.channels(site, output)
    case .openChannel(let id, let site, let life): try work.open(id, site, life, output)
    case .deleteChannel(let id, let site):
      try sites.deleteChannel(id, of: try work.own(site).name)
      try output(.finished(summary: "deleted the channel \(id)"))
    }
  }
}

/// The work of `brasa hosting` on the sites of a project.
private struct HostingWork {
  let hosting: Hosting
  let project: String

  static let author = "brasa hosting"

  /// A site of the project; the one of the project's name is made where it is not there.
  func own(_ name: String) throws -> HostedSite {
    let site = try hosting.siteToDeploy(name, of: project)
    guard site.project == project else {
      throw ServiceError(
        .permissionDenied,
        "The site \(name) does not belong to the project \(project)."
      )
    }
    return site
  }

  func list(_ output: (AdministrationReply) throws -> Void) throws {
    let all = try hosting.sites(of: project)
    for site in all {
      let hosts = [hosting.configuration.domain.map { "\(site.name).\($0)" }].compactMap(\.self)
      let names = try hosts + hosting.domains(of: site.name)
      try output(.line(([site.name] + names).joined(separator: "  ")))
    }
    try output(.finished(summary: all.count.counting("site")))
  }

  /// The bytes of a `ContentHash`.
  private static let hashBytes = 32

  func begin(
    _ name: String,
    _ config: String,
    _ input: () throws -> [UInt8]?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let site = try own(name)
    let version = try hosting.createVersion(
      of: site.name,
      config: try JSONValue(parsing: config),
      labels: ["deployment-tool": "brasa"],
      author: Self.author
    )
    try output(.line(version.id))
    var missing: Set<ContentHash> = []
    var files: [(path: String, hash: ContentHash)] = []
    func flush() throws {
      for hash in try hosting.populate(version.id, of: site.name, with: files)
      where missing.insert(hash).inserted {
        try output(.line(hash.text))
      }
      files = []
    }
    while let item = try input() {
      // A zero byte ends the path; the hash may have others.
      let end = item.count - Self.hashBytes - 1
      guard end > 0, item[end] == 0, let hash = ContentHash(item[(end + 1)...]) else {
        throw ServiceError.invalidArgument("A file has no hash.")
      }
      files.append((String(decoding: item[..<end], as: UTF8.self), hash))
      if files.count == 500 { try flush() }
    }
    try flush()
    try output(.finished(summary: ""))
  }

  func upload(
    _ name: String,
    _ version: String,
    _ input: () throws -> [UInt8]?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let site = try own(name)
    var count = 0
    while let first = try input() {
      guard first.count >= 33, let hash = ContentHash(first.prefix(32)) else {
        throw ServiceError.invalidArgument("A part of content has no hash.")
      }
      let parts = UploadParts()
      let upload = Task { [hosting] in
        defer { parts.end() }
        try await hosting.upload(hash, for: version, of: site.name, parts.stream)
      }
      parts.add(Array(first.dropFirst(33)))
      var isOver = first[32] == 1
      while !isOver, let next = try input() {
        guard next.count >= 33, Array(next.prefix(32)) == hash.bytes else {
          parts.finish()
          throw ServiceError.invalidArgument("A part of content is missing.")
        }
        parts.add(Array(next.dropFirst(33)))
        isOver = next[32] == 1
      }
      parts.finish()
      try Waiting.run { try await upload.value }
      count += 1
    }
    try output(.finished(summary: "uploaded \(count.counting("file"))"))
  }

  func release(
    _ name: String,
    _ version: String,
    _ channel: String,
    _ message: String,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let site = try own(name)
    let finished = try hosting.update(version, of: site.name, status: .finalized, config: nil)
    _ = try hosting.channelToDeploy(channel, of: site.name)
    _ = try hosting.release(
      version,
      on: channel,
      of: site.name,
      kind: .deploy,
      message: message,
      author: Self.author
    )
    let shown = try hosting.channel(channel, of: site.name)
    if let host = hosting.host(of: shown) { try output(.line(host)) }
    for domain in channel == HostedChannel.live ? try hosting.domains(of: site.name) : [] {
      try output(.line(domain))
    }
    let files = finished.fileCount.counting("file")
    try output(.finished(summary: "\(channel) of \(name) shows version \(version) with \(files)"))
  }

  func releases(
    _ name: String,
    _ channel: String,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let all = try hosting.releases(on: channel, of: try own(name).name)
    for release in all {
      let parts = [
        release.id, Self.time(release.time), release.kind.rawValue, release.version ?? "-",
        release.author, release.message,
      ]
      try output(.line(parts.joined(separator: "  ")))
    }
    try output(.finished(summary: all.count.counting("release")))
  }

  func channels(_ name: String, _ output: (AdministrationReply) throws -> Void) throws {
    let all = try hosting.channels(of: try own(name).name)
    for channel in all {
      let end = channel.expiresAt.map { "until \(Self.time($0))" } ?? "for good"
      let parts = [channel.id, hosting.host(of: channel) ?? "", end]
      try output(.line(parts.joined(separator: "  ")))
    }
    try output(.finished(summary: all.count.counting("channel")))
  }

  func open(
    _ id: String,
    _ name: String,
    _ life: Int64?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let site = try own(name)
    _ = try hosting.channelToDeploy(id, of: site.name, life: life)
    let channel = try hosting.extendChannel(id, of: site.name, life: life ?? 7 * 86_400)
    try output(.line(hosting.host(of: channel) ?? channel.label))
    let end = channel.expiresAt.map(Self.time) ?? "its site"
    try output(.finished(summary: "the channel \(id) lives until \(end)"))
  }

  private static func time(_ microseconds: Int64) -> String {
    TimestampText.format(seconds: microseconds / 1_000_000, nanos: 0)
  }
}

/// The parts of one upload on their way from the control socket, a few of them at a time.
private final class UploadParts: Sendable {
  private let parts: AsyncThrowingStream<[UInt8], any Error>
  private let continuation: AsyncThrowingStream<[UInt8], any Error>.Continuation
  private let slots = DispatchSemaphore(value: 8)
  private let isOver = Mutex(false)

  init() {
    (parts, continuation) = AsyncThrowingStream.makeStream()
  }

  /// The parts for their consumer, each of which makes room for another.
  var stream: some AsyncSequence<[UInt8], any Error> & Sendable {
    parts.map { [slots] part in
      slots.signal()
      return part
    }
  }

  /// Waits for room; a part without a receiver is dropped.
  func add(_ part: [UInt8]) {
    slots.wait()
    guard !isOver.withLock({ $0 }) else {
      slots.signal()
      return
    }
    continuation.yield(part)
  }

  /// All parts are there.
  func finish() { continuation.finish() }

  /// Parts are taken no longer.
  func end() {
    isOver.withLock { $0 = true }
    slots.signal()
  }
}
