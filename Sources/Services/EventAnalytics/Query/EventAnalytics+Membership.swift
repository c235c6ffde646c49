import BaseStatus
import BaseText

/// The audiences of a project as they were evaluated last.
struct AudienceSets: Sendable {
  let sets: [(name: String, users: UserSet)]
  let evaluated: Int64
  /// The time of the last request.
  var asked: Int64
}

extension EventAnalytics {
  /// The age at which the sets are evaluated again.
  private static let membershipAge: Int64 = 3_600_000_000
  /// The time for which unused sets are kept.
  private static let membershipRest: Int64 = 24 * 3_600_000_000
  /// Projects whose sets are kept at once.
  private static let membershipLimit = 256

  /// The audiences that an installation is in, as they were evaluated within the last hour; nil for an installation
  /// of which no event is counted yet.
  ///
  /// One look-up by its id; the first call of a project evaluates its audiences. Blocks.
  package func audiences(ofInstance id: String, project: Text) throws -> Set<String>? {
    guard let log = log(of: project), id.utf8.count <= EventLimits.instanceIDLength else {
      return nil
    }
    do {
      let sets = try membership(of: project)
      let key = EventKey.named(.instance, log.number, id)
      let record = try engine.read { reader in
        try reader.get(key).map { try InstanceRecord(decoding: $0) }
      }
      guard let record else { return nil }
      return Set(sets.filter { $0.users.contains(record.number) }.map(\.name))
    } catch {
      throw ServiceError.analytics(error)
    }
  }

  /// Returns the kept sets of a project, which are evaluated where there are none.
  private func membership(of project: Text) throws -> [(name: String, users: UserSet)] {
    if let known = keptMembership(of: project) { return known }
    // If several callers ask at once, one evaluates.
    return try evaluating.withLock { _ in
      if let known = keptMembership(of: project) { return known }
      return try evaluateAudiences(of: project, asked: clock.now())
    }
  }

  private func keptMembership(of project: Text) -> [(name: String, users: UserSet)]? {
    let now = clock.now()
    return memberships.withLock { kept in
      kept[project]?.asked = now
      return kept[project]?.sets
    }
  }

  @discardableResult
  private func evaluateAudiences(
    of project: Text,
    asked: Int64
  ) throws -> [(name: String, users: UserSet)] {
    let revision = memberships.withLock { $0.revision }
    let now = clock.now()
    let sets = try audiences(of: project).map { ($0.name, try users(of: $0, project: project)) }
    memberships.withLock { kept in
      guard kept.revision == revision else { return }
      kept[project] = AudienceSets(sets: sets, evaluated: now, asked: asked)
      kept.makeRoom(Self.membershipLimit)
    }
    return sets
  }

  /// Forgets a project's sets, whose rules have changed.
  func forgetMembership(of project: Text) {
    memberships.withLock { kept in
      kept.revision += 1
      kept[project] = nil
    }
  }

  /// Evaluates the sets of one project again if they are old and requested; false if there are
  /// none.
  func renewMembership() throws -> Bool {
    let now = clock.now()
    let due = memberships.withLock { kept -> (Text, Int64)? in
      kept.drop { $0.asked < now - Self.membershipRest }
      return kept.oldest(before: now - Self.membershipAge)
    }
    guard let (project, asked) = due else { return false }
    try evaluateAudiences(of: project, asked: asked)
    return true
  }
}

/// The sets of the projects that were asked for.
struct KeptMemberships: Sendable {
  private var projects: [Text: AudienceSets] = [:]
  /// Rises when a rule changes, so that the results of the one before are not kept.
  var revision = 0

  subscript(project: Text) -> AudienceSets? {
    get { projects[project] }
    set { projects[project] = newValue }
  }

  mutating func drop(where isGone: (AudienceSets) -> Bool) {
    projects = projects.filter { !isGone($0.value) }
  }

  /// Drops the least recently used ones beyond a number of projects.
  mutating func makeRoom(_ limit: Int) {
    while projects.count > limit,
      let last = projects.min(by: { $0.value.asked < $1.value.asked })?.key
    {
      projects[last] = nil
    }
  }

  /// The project that was evaluated first, before a time, and when it was asked for.
  func oldest(before time: Int64) -> (Text, Int64)? {
    let oldest = projects.min { $0.value.evaluated < $1.value.evaluated }
    guard let oldest, oldest.value.evaluated < time else { return nil }
    return (oldest.key, oldest.value.asked)
  }
}
