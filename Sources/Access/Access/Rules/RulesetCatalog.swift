import BaseStatus
import BaseText
import DocumentStore
import FirestoreModel
import KeyValueStore

/// The rulesets and releases of all projects, as the store keeps them.
///
/// FORMAT
///
/// - `MetaKey.rulesets`, project segment, ruleset id segment -> the ruleset: creation version
///   (8 bytes), then for each file the bytes of its name and of its content, each behind its length
///   (8 bytes);
/// - `MetaKey.releases`, project segment, release name segment -> the release: creation version,
///   version of the last change (8 bytes each), ruleset id segment.
///
/// Numbers are big-endian, segments `SegmentEncoding`'s. A release always names a stored ruleset.
/// This type does not know the contents of a file: rules are compiled above the store. Every change
/// is one group; any thread may call.
package final class RulesetCatalog: Sendable {
  private let engine: any KeyValueEngine

  /// Rulesets that a project keeps; the oldest that no release names make room.
  package static let maximumRulesets = 250

  init(engine: any KeyValueEngine) { self.engine = engine }

  /// Keeps a new ruleset; `id` must be new.
  package func create(project: Text, id: Text, files: [RulesetFile]) throws -> StoredRuleset {
    try write { group in
      try Self.create(project: project, id: id, files: files, in: group)
    }
  }

  /// Keeps a new ruleset and lets every one of those releases name it, all at once.
  ///
  /// - Parameter landed: Receives the releases in the order of the writes, before the call returns.
  package func deploy(
    project: Text,
    id: Text,
    files: [RulesetFile],
    releases: [Text],
    landed: ([StoredRelease]) -> Void
  ) throws -> StoredRuleset {
    try write { group in
      let ruleset = try Self.create(project: project, id: id, files: files, in: group)
      return (ruleset, try releases.map { try Self.release(ruleset, as: $0, in: group) })
    } landed: { (_, releases) in
      landed(releases)
    }.0
  }

  /// Lets a release name a stored ruleset, as `deploy` does; NOT_FOUND without one.
  package func release(
    project: Text,
    name: Text,
    rulesetID: Text,
    landed: (StoredRelease) -> Void
  ) throws -> StoredRelease {
    try write(
      { group in
        let ruleset = try Self.existing(project: project, id: rulesetID, in: group)
        return try Self.release(ruleset, as: name, in: group)
      },
      landed: landed
    )
  }

  /// Removes a ruleset; refuses one that a release names.
  package func delete(project: Text, id: Text) throws {
    try write { group in
      let ruleset = try Self.existing(project: project, id: id, in: group)
      let releases = try Self.releases(of: project, in: group)
      if let user = releases.first(where: { $0.rulesetID == id }) {
        throw ServiceError(
          .failedPrecondition,
          "The ruleset \(id.string) is in use by the release \(user.name.string)."
        )
      }
      try group.delete(Self.key(of: ruleset))
    }
  }

  /// Removes a release, as `deploy` makes one; NOT_FOUND without it.
  package func deleteRelease(project: Text, name: Text, landed: () -> Void) throws {
    try write(
      { group in
        let key = MetaKey.release(project: project, name: name)
        guard try group.get(key) != nil else { throw Self.notFound("release", name) }
        try group.delete(key)
      },
      landed: { _ in landed() }
    )
  }

  /// The ruleset of that id; NOT_FOUND without one.
  package func ruleset(project: Text, id: Text) throws -> StoredRuleset {
    try read { try Self.existing(project: project, id: id, in: $0) }
  }

  /// A project's rulesets, the newest first.
  package func rulesets(of project: Text) throws -> [StoredRuleset] {
    try read { try Self.rulesets(of: project, in: $0) }
  }

  /// A project's releases by name.
  package func releases(of project: Text) throws -> [StoredRelease] {
    try read { try Self.releases(of: project, in: $0) }
  }

  /// The releases of all projects, each with its ruleset.
  static func allReleases(
    in reader: any KeyValueReader
  ) throws -> [(release: StoredRelease, ruleset: StoredRuleset)] {
    try releases(below: MetaKey.releases, in: reader).map { release in
      (release, try existing(project: release.project, id: release.rulesetID, in: reader))
    }
  }

  /// Registers for changes of releases by other engines.
  func observeOthers(_ observer: @escaping @Sendable (any KeyValueReader) throws -> Void) throws {
    try engine.observeOthers(in: [KeyRange(prefix: MetaKey.releases)]) { _, reader in
      try observer(reader)
    }
  }
}

extension RulesetCatalog {
  func read<R>(_ body: (any KeyValueReader) throws -> R) throws -> R {
    do {
      return try engine.read { try body($0) }
    } catch {
      throw ServiceError.storage(error)
    }
  }

  private func write<R>(
    _ body: (any KeyValueGroup) throws -> R,
    landed: (R) -> Void = { _ in }
  ) throws -> R {
    do {
      return try engine.write { group in
        try body(group)
      } settled: { outcome in
        if case .success(let result) = outcome { landed(result) }
      }
    } catch {
      throw ServiceError.storage(error)
    }
  }

  private static func create(
    project: Text,
    id: Text,
    files: [RulesetFile],
    in group: any KeyValueGroup
  ) throws -> StoredRuleset {
    let version = CommitVersion(microseconds: try group.allocateVersion())
    let ruleset = StoredRuleset(project: project, id: id, createTime: version, files: files)
    try makeRoom(in: project, group)
    try group.put(key(of: ruleset), RulesetFormat.value(of: ruleset))
    return ruleset
  }

  /// Drops the oldest unused rulesets, so that one more fits.
  private static func makeRoom(in project: Text, _ group: any KeyValueGroup) throws {
    let rulesets = try rulesets(of: project, in: group)
    guard rulesets.count >= maximumRulesets else { return }
    let used = Set(try releases(of: project, in: group).map(\.rulesetID))
    let unused = rulesets.filter { !used.contains($0.id) }
    let excess = rulesets.count - maximumRulesets + 1
    guard unused.count >= excess else {
      throw ServiceError(.resourceExhausted, "The project has too many rulesets in use.")
    }
    for ruleset in unused.suffix(excess) { try group.delete(key(of: ruleset)) }
  }

  private static func release(
    _ ruleset: StoredRuleset,
    as name: Text,
    in group: any KeyValueGroup
  ) throws -> StoredRelease {
    let key = MetaKey.release(project: ruleset.project, name: name)
    let version = CommitVersion(microseconds: try group.allocateVersion())
    let known = try group.get(key).map {
      try RulesetFormat.release(project: ruleset.project, name: name, $0)
    }
    let release = StoredRelease(
      project: ruleset.project,
      name: name,
      rulesetID: ruleset.id,
      createTime: known?.createTime ?? version,
      updateTime: version
    )
    try group.put(key, RulesetFormat.value(of: release))
    return release
  }

  private static func key(of ruleset: StoredRuleset) -> [UInt8] {
    MetaKey.ruleset(project: ruleset.project, id: ruleset.id)
  }

  private static func existing(
    project: Text,
    id: Text,
    in reader: any KeyValueReader
  ) throws -> StoredRuleset {
    guard let value = try reader.get(MetaKey.ruleset(project: project, id: id)) else {
      throw notFound("ruleset", id)
    }
    return try value.withUnsafeBytes { try RulesetFormat.ruleset(project: project, id: id, $0) }
  }

  private static func rulesets(
    of project: Text,
    in reader: any KeyValueReader
  ) throws -> [StoredRuleset] {
    var rulesets: [StoredRuleset] = []
    let range = KeyRange(prefix: MetaKey.rulesets(of: project))
    let cursor = try reader.cursor(over: range, reversed: false)
    while try cursor.next() {
      let (project, id) = try RulesetFormat.names(ofKey: cursor.key)
      rulesets.append(try RulesetFormat.ruleset(project: project, id: id, cursor.value))
    }
    return rulesets.sorted { $0.createTime > $1.createTime }
  }

  private static func releases(
    of project: Text,
    in reader: any KeyValueReader
  ) throws -> [StoredRelease] {
    try releases(below: MetaKey.releases(of: project), in: reader)
  }

  private static func releases(
    below prefix: [UInt8],
    in reader: any KeyValueReader
  ) throws -> [StoredRelease] {
    var releases: [StoredRelease] = []
    let cursor = try reader.cursor(over: KeyRange(prefix: prefix), reversed: false)
    while try cursor.next() {
      let (project, name) = try RulesetFormat.names(ofKey: cursor.key)
      let value = [UInt8](cursor.value)
      releases.append(try RulesetFormat.release(project: project, name: name, value))
    }
    return releases
  }

  private static func notFound(_ what: String, _ name: Text) -> ServiceError {
    ServiceError(.notFound, "There is no \(what) \(name.string).")
  }
}
