import BaseText
import DocumentCodec
import DocumentStore
import FirestoreModel
import KeyValueStore
import SecurityRules

/// The deployed rules for one call, for callers who are not administrators.
package struct RulesGate: Sendable {
  /// All that other calls of the caller share.
  let rules: CallerRules
  /// The network that the call comes from.
  let network: String
  /// Names the call in the log.
  let requestID: String

  var database: DatabaseID { rules.database }
  var ruleset: ReleasedRuleset { rules.ruleset }
  var caller: Caller { rules.caller }
  var clock: RequestClock { rules.clock }
  var log: AccessLog { rules.log }

  /// A question to the rules.
  enum Question {
    case document(RulesRequest)
    case query(NormalizedQuery, time: Timestamp, isInTransaction: Bool)
  }

  /// Begins to ask, for one call: one cache and one budget of the documents that the rules read.
  ///
  /// Brief sessions are for event loops: what takes much work throws `NotInMemory` there.
  func session(
    _ documents: any RulesDataSource,
    isMultiple: Bool = false,
    isBrief: Bool = false
  ) -> RulesSession {
    RulesSession(
      ruleset: ruleset.compiled,
      database: database.database,
      dataSource: documents,
      digests: SystemDigests(),
      isMultiple: isMultiple,
      isBrief: isBrief,
      compatibility: rules.compatibility
    )
  }

  /// True if the rules could allow anything to the caller; false is certain.
  package var mayAllowAnything: Bool { ruleset.compiled.mayAllowAnything(isSignedIn: auth != nil) }

  /// The account or network that the caller's transactions are counted for.
  package var holder: TransactionHolder {
    guard case .user(let user) = caller else {
      return TransactionHolder(account: nil, network: network)
    }
    return TransactionHolder(account: user.uid, network: network)
  }

  /// Asks to read a document, also one that does not exist.
  func get(
    _ path: ResourcePath,
    _ fields: DocumentFields?,
    isInTransaction: Bool = false
  ) -> Question {
    let name = RulesPathNames.full(path, in: database)
    return .document(
      RulesRequest(
        method: .get,
        path: name,
        auth: auth,
        time: clock.now(),
        resource: fields.map { StoredFields.resource(name, $0) },
        isInTransaction: isInTransaction
      )
    )
  }

  /// Returns true if the rules may have to look at other documents to decide on a get.
  func mayReadDocuments(toGet path: ResourcePath) -> Bool {
    ruleset.compiled.mayReadDocuments(.get, RulesPathNames.full(path, in: database))
  }

  /// Asks to read a query's results, which takes a proof.
  func list(_ query: NormalizedQuery, isInTransaction: Bool = false) -> Question {
    .query(query, time: clock.now(), isInTransaction: isInTransaction)
  }

  /// Asks to make a write of a commit.
  func write(_ index: Int, of preview: CommitPreview) -> Question {
    let write = preview.writes[index]
    let before = preview.before(write: index)
    let name = RulesPathNames.full(write.name.path, in: database)
    let after = preview.after(write: index)
    var request = RulesRequest(
      method: Self.method(of: index, in: preview),
      path: name,
      auth: auth,
      time: preview.requestTime,
      resource: before.map { StoredFields.resource(name, $0.fields) },
      newResource: after.map { StoredFields.resource(name, $0) },
      isInTransaction: true
    )
    request.named = Self.named(by: write)
    return .document(request)
  }

  /// The fields that a write names, which old rules read as `request.writeFields`.
  private static func named(by write: Write) -> RulesWriteFields? {
    var mask: [Text]?
    if case .update(_, let paths?) = write.operation { mask = paths.map { name(of: $0) } }
    guard mask != nil || !write.transforms.isEmpty else { return nil }
    return RulesWriteFields(transforms: write.transforms.map { name(of: $0.field) }, mask: mask)
  }

  private static func name(of field: FieldPath) -> Text {
    Text(field.segments.map(\.string).joined(separator: "."))
  }

  /// The method that a write is to the rules: by what there was before the whole commit.
  ///
  /// A write that insists on a document, or on there being none, is called after that; it comes to
  /// nothing where it is wrong. A `verify` only reads.
  private static func method(of index: Int, in preview: CommitPreview) -> RulesMethod {
    let write = preview.writes[index]
    switch write.operation {
    case .delete: return .delete
    case .verify: return .get
    case .update, .transform:
      var exists = preview.before(write: index) != nil
      if let precondition = write.precondition, preview.isFirst(write: index) {
        exists = precondition != .exists(false)
      }
      return exists ? .update : .create
    }
  }

  /// The rules' decision.
  func decision(
    on question: Question,
    in session: RulesSession,
    observing: Bool = false
  ) throws -> RulesDecision {
    switch question {
    case .document(let request): try session.evaluate(request, observing: observing)
    case .query(let query, let time, let isInTransaction):
      try session.prove(
        query,
        database: database,
        auth: auth,
        time: time,
        isInTransaction: isInTransaction,
        observing: observing
      )
    }
  }

  /// Throws PERMISSION_DENIED unless the rules allow; operators find the reason in the log.
  func require(_ question: Question, in session: RulesSession) throws {
    try check(question, in: session)
    note(allowed: question)
  }

  /// Throws PERMISSION_DENIED unless the rules allow all of it; the allowed parts of a denied
  /// request are not shown.
  func require(_ questions: some Sequence<Question>, in session: RulesSession) throws {
    var allowed: [Question] = []
    for question in questions {
      try check(question, in: session)
      allowed.append(question)
    }
    for question in allowed { note(allowed: question) }
  }

  private func check(_ question: Question, in session: RulesSession) throws {
    let decision = try decision(on: question, in: session)
    if decision.isAllowed { return }
    if session.isBrief, session.isExhausted { throw NotInMemory() }
    note(denialOf: question, decision, in: session)
    throw AccessControl.denied
  }

  /// Reports a denial to operators, with the values of its conditions if the log has room.
  func note(denialOf question: Question, _ decision: RulesDecision, in session: RulesSession) {
    log.tally.count(decision, of: .database(database))
    log.noteDenial { isDetailed in
      // An evaluation that was too much work is not repeated for the log, whose reason names the
      // limit.
      let isShown = isDetailed && !session.isExhausted
      let seen = isShown ? try? self.decision(on: question, in: session, observing: true) : nil
      return AccessLog.Entry(self, question, denied: seen ?? decision)
    }
  }

  /// Shows the allowed requests to operators who watch.
  func note(allowed question: Question) {
    log.tally.countAllowed(of: .database(database))
    log.noteAllowed(in: database.project) { AccessLog.Entry(self, question) }
  }

  var auth: RulesAuth? { rules.auth }
}

/// Paths as rules see them.
package enum RulesPathNames {
  private static let databases = Text("databases")
  private static let documents = Text("documents")

  /// `databases`, the database's id, `documents` and the path.
  static func full(_ path: ResourcePath, in database: DatabaseID) -> [Text] {
    var names: [Text] = []
    names.reserveCapacity(3 + path.segments.count)
    names.append(databases)
    names.append(database.database)
    names.append(documents)
    names.append(contentsOf: path.segments)
    return names
  }
}
