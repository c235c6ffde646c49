import BaseJSON
import BaseRuntime
import BaseStatus
import KeyValueStore
import ObjectStorage
import Synchronization

/// Sites with their versions, channels and releases.
///
/// Records are in the engine; a file's bytes are kept once for all versions of all sites that have
/// it, under the SHA-256 of its packed form. A version is filled, finalized and then released, and
/// nothing changes in it after that. The contents of hosts are in memory too, and are read again
/// after each change, including those of other nodes on the same store. Calls block, but those that
/// are `async`.
package final class Hosting: Sendable {
  let engine: any KeyValueEngine
  /// The bytes of files that the engine has not.
  package let blobs: any BlobStore
  /// The threads that its calls block.
  package let threads: EngineThreads
  /// The domain of sites and the limits.
  package let configuration: HostingConfiguration
  /// Larger content that is in the engine.
  let shared: SharedContent
  let places = Mutex(HostTable())
  /// Counts what other nodes changed in `places`.
  private let foreignChanges = Atomic<Int>(0)
  /// One reading of what hosts show at a time.
  private let reloading = Mutex(())
  /// Asked for each request of the server, so that without sites nothing else is.
  private let isUsed = Atomic<Bool>(false)
  let versions = VersionCache()
  let contents: ContentMemory
  /// Content as Brotli; empty where gzip is as good.
  let brotli: ContentMemory
  /// True while a file is compressed: one at a time.
  let isCompressing = Atomic<Bool>(false)

  /// Opens the sites of an engine.
  package init(
    engine: any KeyValueEngine,
    blobs: any BlobStore,
    threads: EngineThreads,
    configuration: HostingConfiguration
  ) throws {
    self.engine = engine
    self.blobs = blobs
    self.threads = threads
    self.configuration = configuration
    contents = ContentMemory(bytes: configuration.memoryBytes)
    brotli = ContentMemory(bytes: configuration.memoryBytes / 2)
    shared = SharedContent(engine: engine, threads: threads, clock: configuration.clock)
    let kinds: [HostingKey.Kind] = [.site, .channel, .domain]
    try engine.observeOthers(in: kinds.map { KeyRange(prefix: HostingKey.prefix($0)) }) {
      [weak self] _, reader in
      guard let self else { return }
      let table = try Self.table(in: reader)
      foreignChanges.add(1, ordering: .sequentiallyConsistent)
      show(table)
    }
    try reload()
  }

  var now: Int64 { configuration.clock() }

  // MARK: Sites

  /// The sites of a project, by name; of all where it is nil.
  package func sites(of project: String?) throws -> [HostedSite] {
    try engine.read { view in
      try view.hosted(below: HostingKey.prefix(.site), as: HostedSite.self)
    }.filter { project == nil || $0.project == project }
  }

  /// The site of a name; nil where there is none.
  package func site(_ name: String) throws -> HostedSite? {
    try engine.read { try $0.hosted(HostingKey.key(.site, name), as: HostedSite.self) }
  }

  /// Makes a site, with its live channel; ALREADY_EXISTS where the name is taken.
  package func createSite(
    _ name: String,
    of project: String,
    appID: String? = nil
  ) throws -> HostedSite {
    try createSite(name, of: project, appID: appID) { _ in
      throw ServiceError(.alreadyExists, "The site \(name) already exists.")
    }
  }

  /// Makes a site unless it exists, which may be since another node or request made it at the same time.
  private func createSite(
    _ name: String,
    of project: String,
    appID: String?,
    orUse existing: (HostedSite) throws -> HostedSite
  ) throws -> HostedSite {
    try SiteName.check(name)
    let count = try sites(of: nil).count
    guard count < configuration.maximumSites else {
      throw ServiceError(
        .resourceExhausted,
        "The server already has the maximum of \(count) sites."
      )
    }
    let site = HostedSite(name: name, project: project, createdAt: now, appID: appID)
    return try changing { group in
      let key = HostingKey.key(.site, name)
      if let made = try group.hosted(key, as: HostedSite.self) { return try existing(made) }
      try group.put(key, try HostingRecord.bytes(site))
      try put(Self.live(site, at: site.createdAt), of: name, in: group)
      return site
    }
  }

  /// The site of a name, made where a project asks for its default one; a project's id means that one, too.
  package func siteToDeploy(_ name: String, of project: String) throws -> HostedSite {
    let name = try name == project ? defaultSite(of: project) : name
    if let site = try site(name) { return site }
    guard try name == defaultSite(of: project) else { throw Self.noSite(name) }
    let made = try createSite(name, of: project, appID: nil) { $0 }
    // Another project may have taken the name just now: then the default site has another one.
    return try made.project == project ? made : siteToDeploy(project, of: project)
  }

  /// The name of the site that a project has by itself: its id, with digits behind it where another project made a site of
  /// that name before.
  package func defaultSite(of project: String) throws -> String {
    guard let site = try site(project), site.project != project else { return project }
    return SiteName.other(than: project)
  }

  /// Links a site with a web app.
  package func update(_ name: String, appID: String?) throws -> HostedSite {
    try engine.write { group in
      guard var site = try group.hosted(HostingKey.key(.site, name), as: HostedSite.self) else {
        throw Self.noSite(name)
      }
      site.appID = appID
      try group.put(HostingKey.key(.site, name), try HostingRecord.bytes(site))
      return site
    }
  }

  /// Deletes a site with all that it has; its files' content goes with the maintenance.
  package func deleteSite(_ name: String) throws {
    guard try site(name) != nil else { throw Self.noSite(name) }
    try changing { group in
      try group.delete(HostingKey.key(.site, name))
      for kind in [HostingKey.Kind.channel, .release] {
        for key in try Self.keys(KeyRange(prefix: HostingKey.below(kind, name)), in: group) {
          try group.delete(key)
        }
      }
      for (key, site) in try Self.domains(in: group) where site == name { try group.delete(key) }
      for var version in try group.hosted(
        below: HostingKey.below(.version, name),
        as: HostedVersion.self
      ) {
        version.status = .deleted
        try put(version, in: group)
      }
    }
  }

  // MARK: Domains

  /// The hosts that a site has beside its own, in order.
  package func domains(of site: String) throws -> [String] {
    try engine.read { view in
      try Self.domains(in: view).filter { $0.site == site }
        .map { String(decoding: $0.key.dropFirst(2), as: UTF8.self) }
    }
  }

  /// Gives a host to a site; ALREADY_EXISTS where another site has it.
  package func addDomain(_ host: String, to site: String) throws {
    try checkDomain(host)
    guard try self.site(site) != nil else { throw Self.noSite(site) }
    try changing { group in
      let key = HostingKey.key(.domain, host)
      if let owner = try group.get(key), owner != Array(site.utf8) {
        throw ServiceError(.alreadyExists, "The domain \(host) belongs to another site.")
      }
      try group.put(key, Array(site.utf8))
    }
  }

  /// Takes a host from a site.
  package func removeDomain(_ host: String, from site: String) throws {
    try changing { group in
      let key = HostingKey.key(.domain, host)
      guard try group.get(key) == Array(site.utf8) else {
        throw ServiceError(.notFound, "The site \(site) has no domain \(host.prefix(255)).")
      }
      try group.delete(key)
    }
  }

  /// Refuses hosts that are the server's, or would be the same site as the console for browsers.
  private func checkDomain(_ host: String) throws(ServiceError) {
    let labels = host.split(separator: ".", omittingEmptySubsequences: false)
    let isHost =
      host.utf8.count <= 253 && labels.count > 1
      && labels.allSatisfy { label in
        (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
          && label.utf8.allSatisfy {
            (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-")
          }
      }
    guard isHost, labels.last?.utf8.contains(where: { $0 > 0x39 }) ?? false else {
      throw .invalidArgument(
        "A domain must be a host name in lowercase letters, such as shop.example.com, not \(host.prefix(100))."
      )
    }
    for own in [configuration.serverHost].compactMap(\.self) + configuration.serverNames {
      guard host != own, !host.hasSuffix("." + own) else {
        throw .invalidArgument(
          "\(host) is \(own), the console's host, or below it: a site there could set the console's cookies."
        )
      }
    }
    if let domain = configuration.domain, host == domain || host.hasSuffix("." + domain) {
      throw .invalidArgument("Hosts below \(domain) are reserved for the names of sites.")
    }
    guard host != "localhost", !host.hasSuffix(".localhost"), !host.hasSuffix(".googleapis.com")
    else { throw .invalidArgument("\(host) is a name of the server itself.") }
  }

  private static func domains(
    in reader: any KeyValueReader
  ) throws -> [(key: [UInt8], site: String)] {
    let cursor = try reader.cursor(
      over: KeyRange(prefix: HostingKey.prefix(.domain)),
      reversed: false
    )
    var found: [(key: [UInt8], site: String)] = []
    while try cursor.next() {
      found.append((Array(cursor.key), String(decoding: cursor.value, as: UTF8.self)))
    }
    return found
  }

  // MARK: Hosts

  /// The place that a host shows, from memory; nil for a host of no site.
  package func place(of host: String) -> HostedPlace? {
    let place = places.withLock { $0.place(of: host, below: configuration.domain) }
    guard let place, place.expiresAt.map({ $0 > now }) ?? true else { return nil }
    return place
  }

  /// True if there is any site, as memory has it.
  package var hasSites: Bool { isUsed.load(ordering: .relaxed) }

  /// The host of a channel; nil where sites have domains of their own alone.
  package func host(of channel: HostedChannel) -> String? {
    configuration.domain.map { "\(channel.label).\($0)" }
  }

  /// Makes a change, and shows what it came to.
  func changing<R>(_ body: (any KeyValueGroup) throws -> R) throws -> R {
    let result = try engine.write { try body($0) }
    try reload()
    return result
  }

  /// Reads the contents of hosts again; the last of several reads has seen all their changes.
  ///
  /// A view shows nothing of other nodes that `observeOthers` has not received. A change received during the read may be newer
  /// than the read, which is repeated then; the change must not wait for the read, which may wait for it.
  func reload() throws {
    try reloading.withLock { _ in
      var known: Int
      var table: HostTable
      repeat {
        known = foreignChanges.load(ordering: .sequentiallyConsistent)
        table = try engine.read { try Self.table(in: $0) }
      } while !show(table, after: known)
    }
  }

  /// Shows a table that was read after so many changes of others; false where there have been more.
  private func show(_ table: HostTable, after changes: Int) -> Bool {
    places.withLock { places in
      guard foreignChanges.load(ordering: .sequentiallyConsistent) == changes else { return false }
      places = table
      isUsed.store(!table.isEmpty, ordering: .relaxed)
      return true
    }
  }

  private func show(_ table: HostTable) {
    places.withLock { places in
      places = table
      isUsed.store(!table.isEmpty, ordering: .relaxed)
    }
  }

  private static func table(in reader: any KeyValueReader) throws -> HostTable {
    var read = HostTable()
    for site in try reader.hosted(below: HostingKey.prefix(.site), as: HostedSite.self) {
      let channels = try reader.hosted(
        below: HostingKey.below(.channel, site.name),
        as: HostedChannel.self
      )
      for channel in channels { read.add(channel, of: site) }
    }
    for (key, site) in try domains(in: reader) {
      read.addDomain(String(decoding: key.dropFirst(2), as: UTF8.self), of: site)
    }
    return read
  }

  // MARK: Parts

  static func noSite(_ name: String) -> ServiceError {
    ServiceError(.notFound, "There is no site \(name.prefix(100)).")
  }

  private static func live(_ site: HostedSite, at time: Int64) -> HostedChannel {
    HostedChannel(
      id: HostedChannel.live,
      createdAt: time,
      updatedAt: time,
      expiresAt: nil,
      label: site.name,
      release: nil
    )
  }

  func put(_ channel: HostedChannel, of site: String, in group: any KeyValueGroup) throws {
    try group.put(
      HostingKey.key(.channel, site, channel.id),
      try HostingRecord.bytes(channel)
    )
  }

  func put(_ version: HostedVersion, in group: any KeyValueGroup) throws {
    try group.put(
      HostingKey.key(.version, version.site, version.id),
      try HostingRecord.bytes(version)
    )
  }

  static func keys(
    _ range: KeyRange,
    in reader: any KeyValueReader,
    limit: Int = .max
  ) throws -> [[UInt8]] {
    let cursor = try reader.cursor(over: range, reversed: false)
    var found: [[UInt8]] = []
    while found.count < limit, try cursor.next() { found.append(Array(cursor.key)) }
    return found
  }

  /// Random digits.
  static func randomDigits(_ count: Int) -> String {
    var generator = SystemRandomNumberGenerator()
    let alphabet = Array("0123456789abcdefghijklmnopqrstuvwxyz")
    return String((0..<count).map { _ in alphabet[Int.random(in: 0..<36, using: &generator)] })
  }
}

/// The places that hosts show.
struct HostTable {
  private var labels: [String: HostedPlace] = [:]
  private var live: [String: HostedPlace] = [:]
  private var domains: [String: String] = [:]

  var isEmpty: Bool { live.isEmpty }

  mutating func add(_ channel: HostedChannel, of site: HostedSite) {
    let place = HostedPlace(
      site: site.name,
      project: site.project,
      channel: channel.id,
      version: channel.release?.version,
      expiresAt: channel.expiresAt
    )
    labels[channel.label] = place
    if channel.id == HostedChannel.live { live[site.name] = place }
  }

  mutating func addDomain(_ host: String, of site: String) { domains[host] = site }

  func place(of host: String, below domain: String?) -> HostedPlace? {
    if let site = domains[host] { return live[site] }
    guard let domain, host.hasSuffix("." + domain) else { return nil }
    return labels[String(host.dropLast(domain.count + 1))]
  }
}
