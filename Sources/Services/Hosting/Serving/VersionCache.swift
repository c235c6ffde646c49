import BaseJSON
import KeyValueStore
import Synchronization

/// A version as it is served: its rules compiled, and its files by path.
package final class ServedVersion: Sendable {
  /// The version's rules.
  package let rules: SiteRules
  /// Nil where there are too many for memory: each is asked of the engine then.
  let files: [String: HostedFile]?
  /// The version's record.
  package let version: HostedVersion
  /// Microseconds since 1970 of the last log line about work; zero before the first.
  private let lastWarning = Atomic<Int64>(0)

  init(_ version: HostedVersion, files: [String: HostedFile]?) throws {
    rules = try SiteRules(try JSONValue(parsing: version.config))
    self.version = version
    self.files = files
  }

  /// Returns true if the log should mention again that the rules take too much work: once a minute.
  package func mayWarn(at time: Int64) -> Bool {
    let last = lastWarning.load(ordering: .relaxed)
    guard time >= last + 60_000_000 else { return false }
    return lastWarning.compareExchange(expected: last, desired: time, ordering: .relaxed).exchanged
  }
}

/// Versions that were served lately, up to a number of files in all.
final class VersionCache: Sendable {
  private struct State {
    var versions: [String: ServedVersion] = [:]
    var files = 0
  }

  private let state = Mutex(State())
  /// Files in memory.
  private static let capacity = 200_000
  /// Files of one version.
  static let maximumFiles = 50_000

  subscript(key: String) -> ServedVersion? { state.withLock { $0.versions[key] } }

  func keep(_ version: ServedVersion, as key: String) {
    // A version without files takes room, too.
    let count = 64 + (version.files?.count ?? 0) + version.rules.size / 4
    state.withLock { state in
      if state.files + count > Self.capacity { state = State() }
      if state.versions.updateValue(version, forKey: key) == nil { state.files += count }
    }
  }
}

extension Hosting {
  /// The version that a place shows, if memory has it.
  package func knownVersion(of place: HostedPlace) -> ServedVersion? {
    place.version.flatMap { versions["\(place.site)/\($0)"] }
  }

  /// The version that a place shows; nil where it shows none.
  package func servedVersion(of place: HostedPlace) throws -> ServedVersion? {
    if let known = knownVersion(of: place) { return known }
    guard let id = place.version else { return nil }
    let version = try version(id, of: place.site)
    var files: [String: HostedFile]?
    if version.fileCount <= VersionCache.maximumFiles {
      files = Dictionary(try self.files(of: version), uniquingKeysWith: { $1 })
    }
    let served = try ServedVersion(version, files: files)
    versions.keep(served, as: "\(place.site)/\(id)")
    return served
  }

  /// A file of a version; blocks where the version's files are not in memory.
  package func file(_ path: String, of served: ServedVersion) throws -> HostedFile? {
    if let files = served.files { return files[path] }
    let key = HostingKey.key(.file, served.version.site, served.version.id, path)
    return try engine.read { try $0.get(key).flatMap { HostedFile($0) } }
  }
}
