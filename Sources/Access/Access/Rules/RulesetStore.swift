import BaseStatus
import BaseText
import KeyValueStore
import Logging
import SecurityRules
import Synchronization

/// The rules of all databases and buckets: the deployed ones, compiled, and all stored rulesets.
///
/// A deployment is durable before it takes effect, and takes effect for the next request. Any thread
/// may call; `current` waits for nothing but a short lock, everything else may touch the disk.
package final class RulesetStore: Sendable {
  /// Receives the changes after a deployment took effect, on the thread that deployed, or that read
  /// about one elsewhere.
  package typealias Observer = @Sendable (RulesTarget) -> Void

  private let catalog: RulesetCatalog
  private let countsCoverage: Bool
  private let log: Logger
  private let released: Mutex<[RulesTarget: ReleasedRuleset]>
  /// For every call to look at.
  private let isEmptyNow = Atomic(true)
  private let observers = Mutex<[Observer]>([])
  /// Held over each change, so that a ruleset is not removed between its reading and its release.
  private let changes = Mutex(())

  /// Compiles the deployed rules; stored rules that no longer compile deny everything, and the log
  /// says so.
  ///
  /// - Parameter countsCoverage: True if rules in force count the results of their expressions.
  package init(
    engine: any KeyValueEngine,
    countsCoverage: Bool = false,
    log: Logger
  ) throws {
    catalog = RulesetCatalog(engine: engine)
    self.countsCoverage = countsCoverage
    self.log = log
    released = Mutex([:])
    try catalog.read { _ = try read($0) }
    try catalog.observeOthers { [weak self] reader in
      for target in try self?.read(reader) ?? [] { self?.announce(target) }
    }
  }

  /// Applies the stored releases, and returns the targets with a change.
  private func read(_ reader: any KeyValueReader) throws -> Set<RulesTarget> {
    var stored: [RulesTarget: ReleasedRuleset] = [:]
    for (release, ruleset) in try RulesetCatalog.allReleases(in: reader) {
      guard let target = RulesTarget(project: release.project, releaseName: release.name)
      else { continue }
      let known = current(target)
      stored[target] =
        known?.updateTime == release.updateTime
        ? known : ReleasedRuleset(try compileStored(ruleset, of: release), release)
    }
    return released.withLock { released in
      defer { released = stored }
      let changed = Set(released.keys).union(stored.keys).filter { released[$0] !== stored[$0] }
      for target in changed { released[target]?.replace() }
      isEmptyNow.store(stored.isEmpty, ordering: .releasing)
      return changed
    }
  }

  private func compileStored(
    _ ruleset: StoredRuleset,
    of release: StoredRelease
  ) throws -> CompiledRuleset {
    do {
      return try Self.compile(ruleset.files, counting: countsCoverage)
    } catch {
      log.error(
        "stored security rules do not compile; every client is denied until new rules are deployed",
        metadata: [
          "release": "\(release.name.string)",
          "error": "\((error as? RulesCompileError)?.message ?? "\(error)")",
        ]
      )
      return try Self.compile([Self.nothing])
    }
  }

  /// The deployed rules; nil if there are none.
  package func current(_ target: RulesTarget) -> ReleasedRuleset? {
    released.withLock { $0[target] }
  }

  /// The projects for which rules are in force.
  package var projects: Set<Text> {
    let targets = released.withLock { Array($0.keys) }
    return Set(targets.filter { !$0.isEmulated }.map(\.project))
  }

  /// True if no ruleset is in force anywhere.
  package var isEmpty: Bool { isEmptyNow.load(ordering: .acquiring) }

  /// Registers for changes.
  ///
  /// Observers are never removed.
  package func onChange(_ observer: @escaping Observer) {
    observers.withLock { $0.append(observer) }
  }

  /// Compiles and keeps a ruleset and puts it in force for those targets, all at once.
  ///
  /// Throws `RulesCompileError` with every issue, and changes nothing, where it does not compile.
  ///
  /// - Parameter allowsOthers: True if a ruleset for other services is accepted: it denies
  ///   everything here.
  @discardableResult
  package func deploy(
    _ files: [RulesetFile],
    to targets: [RulesTarget],
    project: Text,
    allowsOthers: Bool = false
  ) throws -> StoredRuleset {
    let compiled = try Self.compile(files, counting: countsCoverage)
    for target in targets {
      guard target.project == project else {
        throw ServiceError.invalidArgument("A release must belong to the project of its ruleset.")
      }
      if !allowsOthers { try Self.check(compiled, for: target) }
    }
    let ruleset = try changes.withLock { _ in
      try catalog.deploy(
        project: project,
        id: Self.newID(),
        files: files,
        releases: targets.map(\.releaseName)
      ) { releases in
        for (target, release) in zip(targets, releases) {
          setCurrent(ReleasedRuleset(compiled, release), of: target)
        }
      }
    }
    for target in targets { announce(target) }
    return ruleset
  }

  /// Compiles and keeps a ruleset without putting it in force.
  package func create(_ files: [RulesetFile], project: Text) throws -> StoredRuleset {
    _ = try Self.compile(files)
    return try catalog.create(project: project, id: Self.newID(), files: files)
  }

  /// Puts a kept ruleset in force.
  @discardableResult
  package func release(_ rulesetID: Text, to target: RulesTarget) throws -> StoredRelease {
    let release = try changes.withLock { _ in
      let stored = try catalog.ruleset(project: target.project, id: rulesetID)
      let compiled = try Self.compile(stored.files, counting: countsCoverage)
      try Self.check(compiled, for: target)
      return try catalog.release(
        project: target.project,
        name: target.releaseName,
        rulesetID: rulesetID
      ) { release in
        setCurrent(ReleasedRuleset(compiled, release), of: target)
      }
    }
    announce(target)
    return release
  }

  /// Takes a target's rules out of force.
  package func deleteRelease(_ target: RulesTarget) throws {
    try changes.withLock { _ in
      try catalog.deleteRelease(project: target.project, name: target.releaseName) {
        setCurrent(nil, of: target)
      }
    }
    announce(target)
  }

  /// Removes a kept ruleset; refuses one that is in force.
  package func delete(_ id: Text, project: Text) throws {
    try catalog.delete(project: project, id: id)
  }

  /// The ruleset of that id; NOT_FOUND without one.
  package func ruleset(_ id: Text, project: Text) throws -> StoredRuleset {
    try catalog.ruleset(project: project, id: id)
  }

  /// A project's rulesets, the newest first.
  package func rulesets(of project: Text) throws -> [StoredRuleset] {
    try catalog.rulesets(of: project)
  }

  /// A project's releases by name.
  package func releases(of project: Text) throws -> [StoredRelease] {
    try catalog.releases(of: project)
  }

  /// Reads all stored data of all projects, and reports damaged or missing records; returns their
  /// number.
  package func verify(report: (String) throws -> Void) throws -> (rulesets: Int, releases: Int) {
    try catalog.verify(report: report)
  }

  /// Compiles the one file of a ruleset; throws `RulesCompileError` with every issue.
  package static func compile(
    _ files: [RulesetFile],
    counting: Bool = false
  ) throws -> CompiledRuleset {
    guard let file = files.first, files.count == 1 else {
      throw ServiceError.invalidArgument("A ruleset must have exactly one source file.")
    }
    return try RulesCompiler.compile(
      SourceText(file.content, fileName: file.name),
      coverage: counting ? RulesCoverage() : nil
    )
  }

  private static func check(
    _ compiled: CompiledRuleset,
    for target: RulesTarget
  ) throws(ServiceError) {
    guard compiled.services.contains(target.service) else {
      throw .invalidArgument("The ruleset has no rules for service \(target.service.rawValue).")
    }
  }

  private func setCurrent(_ ruleset: ReleasedRuleset?, of target: RulesTarget) {
    released.withLock { released in
      released[target]?.replace()
      released[target] = ruleset
      isEmptyNow.store(released.isEmpty, ordering: .releasing)
    }
  }

  private func announce(_ target: RulesTarget) {
    for observer in observers.withLock({ $0 }) { observer(target) }
  }

  private static let nothing = RulesetFile(
    name: "denied.rules",
    content: """
      rules_version = '2';
      service cloud.firestore { match /{any=**} { allow read, write: if false; } }
      service firebase.storage { match /{any=**} { allow read, write: if false; } }
      """
  )

  /// A random UUID, as Google's ids look.
  private static func newID() -> Text {
    var random = SystemRandomNumberGenerator()
    var bytes = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let groups = [0..<4, 4..<6, 6..<8, 8..<10, 10..<16].map { Hexadecimal.text(bytes[$0]) }
    return Text(groups.joined(separator: "-"))
  }
}

extension ReleasedRuleset {
  fileprivate convenience init(_ compiled: CompiledRuleset, _ release: StoredRelease) {
    self.init(compiled, id: release.rulesetID, updateTime: release.updateTime)
  }
}
