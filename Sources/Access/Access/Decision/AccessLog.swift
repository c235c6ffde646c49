import FirestoreModel
import Logging
import SecurityRules
import Synchronization

/// The log of decisions for operators: each denial with its reason, and which databases have no
/// rules.
///
/// Denials cost their authors nothing, so only some of each second are written; the others are
/// counted. Any thread may call.
final class AccessLog: Sendable {
  private struct State {
    var warned: Set<DatabaseID> = []
    var warnedBuckets: Set<BucketID> = []
    /// Pairs of a token's project and a database's or bucket's that were told.
    var foreign: Set<[Text]> = []
    var second: Int64 = 0
    var written = 0
    var dropped = 0
  }

  private let log: Logger
  /// Those of which more than their number is known, for the console.
  let recent = RecentDenials()
  private let state = Mutex(State())
  private let clock: @Sendable () -> Int64

  /// Denials of one second that are written.
  private static let perSecond = 20

  /// A log whose seconds come from microseconds of that clock.
  init(_ log: Logger, clock: @escaping @Sendable () -> Int64 = RequestClock.systemTime) {
    self.log = log
    self.clock = clock
  }

  /// A client was denied something.
  struct Denial {
    let project: Text
    let metadata: Logger.Metadata
    /// The facts that are texts.
    var facts: [String: String] {
      metadata.compactMapValues { if case .array = $0 { nil } else { "\($0)" } }
    }
    /// What the conditions saw.
    var seen: [String] {
      guard case .array(let lines)? = metadata["seen"] else { return [] }
      return lines.map { "\($0)" }
    }
  }

  /// Warns, once a database, that development allows everything.
  func noteMissingRules(of database: DatabaseID) {
    guard state.withLock({ $0.warned.insert(database).inserted }) else { return }
    log.warning(
      """
      NO SECURITY RULES are deployed for this database: development lets every client read and \
      write everything; production would deny everything
      """,
      metadata: ["database": "\(database.path)"]
    )
  }

  /// Warns, once a bucket, that without rules every client is denied.
  func noteMissingRules(of bucket: BucketID) {
    let isNew = state.withLock { state in
      state.warnedBuckets.count < 1_000 && state.warnedBuckets.insert(bucket).inserted
    }
    guard isNew else { return }
    log.warning(
      """
      no security rules are deployed for this bucket: every client is denied; \
      deploy some with brasa rules deploy --service firebase.storage
      """,
      metadata: ["bucket": "\(bucket.name.string)"]
    )
  }

  /// Notes, once for each pair, that development takes a token of one project for another's database.
  func noteForeignToken(of project: Text, for database: DatabaseID) {
    noteForeignToken(of: project, for: database.project, ["database": "\(database.path)"])
  }

  /// The same for another's bucket.
  func noteForeignToken(of project: Text, for bucket: BucketID) {
    noteForeignToken(of: project, for: bucket.project, ["bucket": "\(bucket.name.string)"])
  }

  private func noteForeignToken(
    of project: Text,
    for other: Text,
    _ scope: Logger.Metadata
  ) {
    let isNew = state.withLock { state in
      state.foreign.count < 1_000 && state.foreign.insert([project, other]).inserted
    }
    guard isNew else { return }
    log.notice(
      "a token of another project; development takes it, production would deny",
      metadata: scope.merging(["token": "\(project.string)"]) { first, _ in first }
    )
  }

  /// Notes what an administrator's permit was given out for without credentials.
  func noteAdministration(_ reason: String) {
    log.info("administration", metadata: ["reason": "\(reason)"])
  }

  /// Writes a denial if this second has room for it; the argument says whether details are wanted.
  func noteDenial(_ denial: (Bool) -> Denial) {
    guard log.logLevel <= .notice else { return }
    let now = clock() / 1_000_000
    let (hasRoom, dropped) = state.withLock { state -> (Bool, Int) in
      var dropped = 0
      if state.second != now {
        dropped = state.dropped
        (state.second, state.written, state.dropped) = (now, 0, 0)
      }
      guard state.written < Self.perSecond else {
        state.dropped += 1
        return (false, dropped)
      }
      state.written += 1
      return (true, dropped)
    }
    if dropped > 0 {
      log.notice("more denials than are written", metadata: ["count": "\(dropped)"])
    }
    guard hasRoom else { return }
    let denial = denial(true)
    log.notice("denied by the rules", metadata: denial.metadata)
    recent.append(project: denial.project, facts: denial.facts, seen: denial.seen, at: clock())
  }
}

extension AccessLog.Denial {
  /// Parts of the conditions that are shown, and the length of each.
  private static let shown = (parts: 16, characters: 120)

  /// A denial with the question, the caller, the conditions that denied it and the values they saw.
  init(_ gate: RulesGate, _ question: RulesGate.Question, _ decision: RulesDecision) {
    var metadata: Logger.Metadata = ["database": "\(gate.database.path)"]
    switch question {
    case .document(let request): metadata.merge(Self.subject(request)) { $1 }
    case .query(let query, _, _):
      metadata["method"] = "list"
      metadata["path"] = "\(query.parent.string) \(query.scope)"
    }
    self.init(gate.database.project, metadata, gate.requestID, gate.ruleset, gate.caller, decision)
  }

  /// The same of a question about a bucket.
  init(_ gate: ObjectGate, _ request: RulesRequest, _ decision: RulesDecision) {
    var metadata = Self.subject(request)
    metadata["bucket"] = "\(gate.bucket.name.string)"
    self.init(gate.bucket.project, metadata, gate.requestID, gate.ruleset, gate.caller, decision)
  }

  private init(
    _ project: Text,
    _ subject: Logger.Metadata,
    _ requestID: String,
    _ ruleset: ReleasedRuleset,
    _ caller: Caller,
    _ decision: RulesDecision
  ) {
    var metadata = subject
    metadata["request"] = "\(requestID)"
    metadata["ruleset"] = "\(ruleset.id.string)"
    metadata["why"] = "\(Self.cut(decision.explanation, 1_000))"
    switch caller {
    case .user(let user): metadata["uid"] = "\(user.uid.string)"
    case .nobody: metadata["uid"] = "nobody"
    case .administrator, .projectAdministrator: break
    }
    let seen = decision.attempts.flatMap(\.observations).suffix(Self.shown.parts)
    if !seen.isEmpty {
      metadata["seen"] = .array(
        seen.map { part in
          let text = Self.cut(part.text, Self.shown.characters)
          let value = Self.cut(part.value, Self.shown.characters)
          return "L\(part.position.line): \(text) = \(value)"
        }
      )
    }
    self.init(project: project, metadata: metadata)
  }

  /// The method, and the path below the database or bucket.
  private static func subject(_ request: RulesRequest) -> Logger.Metadata {
    [
      "method": "\(request.method.rawValue)",
      "path": "\(request.path.dropFirst(3).map(\.string).joined(separator: "/"))",
    ]
  }

  private static func cut(_ text: String, _ length: Int) -> String {
    text.count <= length ? text : text.prefix(length) + "…"
  }
}
