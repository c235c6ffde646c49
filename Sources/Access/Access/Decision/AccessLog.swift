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
    /// Pairs of a token's project and a database's that were told.
    var foreign: Set<[Text]> = []
    var second: Int64 = 0
    var written = 0
    var dropped = 0
  }

  private let log: Logger
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
    let metadata: Logger.Metadata
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

  /// Notes, once for each pair, that development takes a token of one project for another's database.
  func noteForeignToken(of project: Text, for database: DatabaseID) {
    let isNew = state.withLock { state in
      state.foreign.count < 1_000 && state.foreign.insert([project, database.project]).inserted
    }
    guard isNew else { return }
    log.notice(
      "a token of another project; development takes it, production would deny",
      metadata: ["token": "\(project.string)", "database": "\(database.path)"]
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
    if hasRoom { log.notice("denied by the rules", metadata: denial(true).metadata) }
  }
}

extension AccessLog.Denial {
  /// Parts of the conditions that are shown, and the length of each.
  private static let shown = (parts: 16, characters: 120)

  /// A denial with the question, the caller, the conditions that denied it and the values they saw.
  init(_ gate: RulesGate, _ question: RulesGate.Question, _ decision: RulesDecision) {
    var metadata: Logger.Metadata = [
      "request": "\(gate.requestID)",
      "database": "\(gate.database.path)",
      "ruleset": "\(gate.ruleset.id.string)",
      "why": "\(Self.cut(decision.explanation, 1_000))",
    ]
    switch gate.caller {
    case .user(let user): metadata["uid"] = "\(user.uid.string)"
    case .nobody: metadata["uid"] = "nobody"
    case .administrator: break
    }
    switch question {
    case .document(let request):
      metadata["method"] = "\(request.method.rawValue)"
      metadata["path"] = "\(request.path.dropFirst(3).map(\.string).joined(separator: "/"))"
    case .query(let query, _, _):
      metadata["method"] = "list"
      metadata["path"] = "\(query.parent.string) \(query.scope)"
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
    self.init(metadata: metadata)
  }

  private static func cut(_ text: String, _ length: Int) -> String {
    text.count <= length ? text : text.prefix(length) + "…"
  }
}
