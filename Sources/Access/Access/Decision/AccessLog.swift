import BaseText
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
    /// Reported pairs of a token's project and a database's or bucket's.
    var foreign: Set<[Text]> = []
    var second: Int64 = 0
    var written = 0
    var dropped = 0
  }

  /// A project whose allowed requests somebody looks at.
  private struct Watch {
    /// Until when, in microseconds since 1970.
    var end: Int64
    var second: Int64 = 0
    /// The number of requests of that second that are kept.
    var kept = 0
  }

  private let log: Logger
  /// The decisions of each day.
  let tally: RulesTally
  /// Denials of which more than their number is known, for the console.
  let denied = RecentRequests()
  /// The requests that were allowed while a console watched their project.
  let allowed = RecentRequests()
  /// The end of the last watch of any project, in microseconds since 1970.
  private let watchedUntil = Atomic<Int64>(0)
  private let watches = Mutex<[Text: Watch]>([:])
  private let state = Mutex(State())
  private let clock: @Sendable () -> Int64

  /// Denials of one second that are written.
  private static let perSecond = 20
  /// The number of allowed requests kept for each project and second while an operator watches, and
  /// the time for which one request keeps the watch, in microseconds.
  private static let watching = (perSecond: 100, period: Int64(10_000_000))

  /// A log whose seconds come from microseconds of that clock.
  init(_ log: Logger, clock: @escaping @Sendable () -> Int64 = RequestClock.systemTime) {
    self.log = log
    self.clock = clock
    tally = RulesTally(clock: clock)
  }

  /// A client's request, with the reason of a denial.
  struct Entry {
    let project: Text
    let metadata: Logger.Metadata
    /// The facts that are texts.
    var facts: [String: String] {
      metadata.compactMapValues { if case .array = $0 { nil } else { "\($0)" } }
    }
    /// The values that the conditions saw.
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

  /// Warns, once a bucket, that without rules every client is denied, or in development allowed everything.
  func noteMissingRules(of bucket: BucketID, allowsEverything: Bool) {
    let isNew = state.withLock { state in
      state.warnedBuckets.count < 1_000 && state.warnedBuckets.insert(bucket).inserted
    }
    guard isNew else { return }
    let consequence: Logger.Message =
      allowsEverything
      ? """
      NO SECURITY RULES are deployed for this bucket: development lets every client read and \
      write everything; production would deny everything
      """
      : """
      no security rules are deployed for this bucket: every client is denied; \
      deploy some with brasa rules deploy --service storage
      """
    log.warning(consequence, metadata: ["bucket": "\(bucket.name.string)"])
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
      "the token is of another project; accepted in development only",
      metadata: scope.merging(["token": "\(project.string)"]) { first, _ in first }
    )
  }

  /// Notes what an administrator's permit was given out for without credentials.
  func noteAdministration(_ reason: String) {
    log.info("administration", metadata: ["reason": "\(reason)"])
  }

  /// Writes a denial if this second has room for it; the argument says whether details are wanted.
  func noteDenial(_ denial: (Bool) -> Entry) {
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
      log.notice("denials were left out of the log", metadata: ["count": "\(dropped)"])
    }
    guard hasRoom else { return }
    let denial = denial(true)
    log.notice("denied by the rules", metadata: denial.metadata)
    denied.append(project: denial.project, facts: denial.facts, seen: denial.seen, at: clock())
  }

  /// Records the allowed requests of a project for a while from now on.
  func watchAllowed(of project: Text) {
    let now = clock()
    let end = now + Self.watching.period
    watches.withLock { watches in
      watches = watches.filter { $0.value.end > now }
      watches[project, default: Watch(end: end)].end = end
    }
    watchedUntil.store(end, ordering: .relaxed)
  }

  /// Keeps a request that the rules allowed, if an operator watches its project and this second has
  /// room for it.
  func noteAllowed(in project: Text, _ request: () -> Entry) {
    let end = watchedUntil.load(ordering: .relaxed)
    guard end != 0 else { return }
    let now = clock()
    guard now < end else { return }
    let hasRoom = watches.withLock { watches -> Bool in
      guard var watch = watches[project], now < watch.end else { return false }
      if watch.second != now / 1_000_000 { (watch.second, watch.kept) = (now / 1_000_000, 0) }
      watch.kept += 1
      watches[project] = watch
      return watch.kept <= Self.watching.perSecond
    }
    guard hasRoom else { return }
    let request = request()
    allowed.append(project: request.project, facts: request.facts, seen: [], at: now)
  }
}

extension AccessLog.Entry {
  /// Parts of the conditions that are shown, and the length of each.
  private static let shown = (parts: 16, characters: 120)

  /// A request with the question and the caller; a denied one with the conditions that denied it and the values they saw.
  init(_ gate: RulesGate, _ question: RulesGate.Question, denied decision: RulesDecision? = nil) {
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
  init(_ gate: ObjectGate, _ request: RulesRequest, denied decision: RulesDecision? = nil) {
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
    _ decision: RulesDecision?
  ) {
    var metadata = subject
    metadata["request"] = "\(requestID)"
    metadata["ruleset"] = "\(ruleset.id.string)"
    switch caller {
    case .user(let user): metadata["uid"] = "\(user.uid.string)"
    case .nobody: metadata["uid"] = "nobody"
    case .administrator, .projectAdministrator: break
    }
    if let decision { Self.add(decision, to: &metadata) }
    self.init(project: project, metadata: metadata)
  }

  private static func add(_ decision: RulesDecision, to metadata: inout Logger.Metadata) {
    metadata["why"] = "\(cut(decision.explanation, 1_000))"
    let seen = decision.attempts.flatMap(\.observations).suffix(shown.parts)
    if !seen.isEmpty {
      metadata["seen"] = .array(
        seen.map { part in
          let text = cut(part.text, shown.characters)
          let value = cut(part.value, shown.characters)
          return "L\(part.position.line): \(text) = \(value)"
        }
      )
    }
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
