import BaseText
import DocumentStore
import FirestoreModel
import SecurityRules

/// The deployed rules for one call about a bucket, for callers who are not administrators.
struct ObjectGate: Sendable {
  let bucket: BucketID
  let databases: Databases
  let ruleset: ReleasedRuleset
  let caller: Caller
  /// Names the call in the log.
  let requestID: String
  /// The method that rules see for new content of an object that exists.
  let overwriting: RulesMethod
  let compatibility: RulesSession.Compatibility
  let clock: RequestClock
  let log: AccessLog

  /// Throws PERMISSION_DENIED unless the rules allow, or may do so once all of a partial resource is known; operators
  /// find the reason in the log.
  func require(_ request: ObjectRequest, _ name: Text, stored: StorageResource?) throws {
    let question = question(request, name, stored: stored?.map)
    let isAllowed = try reading { documents in
      let session = session(documents)
      let decision = try session.evaluate(question)
      let isAllowed = allows(request, decision)
      if isAllowed {
        note(allowed: question)
      } else {
        note(denialOf: question, decision, session, documents)
      }
      return isAllowed
    }
    if !isAllowed { throw AccessControl.denied }
  }

  /// Returns true if the rules allow the request without a look at documents.
  func allowsInMemory(_ request: ObjectRequest, _ name: Text, stored: RulesMap?) -> Bool {
    let question = question(request, name, stored: stored)
    do {
      let isAllowed = allows(request, try session(NoDocuments()).evaluate(question))
      if isAllowed { note(allowed: question) }
      return isAllowed
    } catch {
      // It needs documents, or fails again at the place that reports the error.
      return false
    }
  }

  /// Returns true if the rules allow to read an object, or are known to have allowed it, without a
  /// look at documents.
  func allowsReadInMemory(
    _ name: Text,
    stored: RulesMap,
    remembering allowed: AllowedRead
  ) -> Bool {
    if allowed.isKnown(ruleset, caller) {
      note(allowed: question(.get, name, stored: stored))
      return true
    }
    do {
      let question = question(.get, name, stored: stored)
      let decision = try session(NoDocuments()).evaluate(question)
      // Coverage counts every evaluation.
      if decision.isAllowed, !decision.usesTime, ruleset.compiled.coverage == nil {
        allowed.note(ruleset, caller)
      }
      if decision.isAllowed { note(allowed: question) }
      return decision.isAllowed
    } catch {
      return false
    }
  }

  private func allows(_ request: ObjectRequest, _ decision: RulesDecision) -> Bool {
    if decision.isAllowed { return true }
    return request.proposed?.isPartial == true && decision.isUndetermined
  }

  private func question(
    _ request: ObjectRequest,
    _ name: Text,
    stored: RulesMap?
  ) -> RulesRequest {
    let method = method(of: request, isStored: stored != nil)
    return RulesRequest(
      service: .storage,
      method: method,
      path: RulesPathNames.full(name, in: bucket, isPrefix: method == .list),
      auth: caller.rulesAuth,
      time: clock.now(),
      resource: stored,
      newResource: request.proposed?.map
    )
  }

  private func method(of request: ObjectRequest, isStored: Bool) -> RulesMethod {
    switch request {
    case .get: .get
    case .list: .list
    case .write: isStored ? overwriting : .create
    case .update: .update
    case .delete: .delete
    }
  }

  /// Rules see one state of the project's default database; it is opened only where they look.
  private func reading(_ decide: (any RulesDataSource) throws -> Bool) throws -> Bool {
    do {
      return try decide(NoDocuments())
    } catch is NoDocuments.Needed {
      let id = DatabaseID(project: bucket.project)
      guard let database = try databases.existingDatabase(id) else {
        return try decide(EmptyDatabase())
      }
      return try database.read(.now) { try decide(ViewDocuments(database, $0)) }
    }
  }

  private func session(_ documents: any RulesDataSource) -> RulesSession {
    RulesSession(
      ruleset: ruleset.compiled,
      database: DatabaseID(project: bucket.project).database,
      dataSource: documents,
      digests: SystemDigests(),
      compatibility: compatibility
    )
  }

  private func note(
    denialOf question: RulesRequest,
    _ decision: RulesDecision,
    _ session: RulesSession,
    _ documents: any RulesDataSource
  ) {
    log.tally.count(decision, of: .bucket(bucket))
    log.noteDenial { isDetailed in
      // An evaluation that was too much work is not repeated for the log, whose reason names the
      // limit.
      let isShown = isDetailed && !session.isExhausted
      let seen = isShown ? try? self.session(documents).evaluate(question, observing: true) : nil
      return AccessLog.Entry(self, question, denied: seen ?? decision)
    }
  }

  private func note(allowed question: @autoclosure () -> RulesRequest) {
    log.tally.countAllowed(of: .bucket(bucket))
    log.noteAllowed(in: bucket.project) { AccessLog.Entry(self, question()) }
  }
}

/// A database that does not exist: there are no documents.
private struct EmptyDatabase: RulesDataSource {
  func document(at path: ResourcePath) throws -> RulesDocument? { nil }

  func documentAfter(at path: ResourcePath) throws -> RulesDocument? { nil }
}

extension RulesPathNames {
  /// `b`, the bucket, `o` and the name's segments; slashes around the prefix of a list count for nothing.
  package static func full(_ name: Text, in bucket: BucketID, isPrefix: Bool) -> [Text] {
    var segments = name.string.split(separator: "/", omittingEmptySubsequences: false)[...]
    if isPrefix, segments.last?.isEmpty == true { segments.removeLast() }
    if isPrefix, segments.first?.isEmpty == true { segments.removeFirst() }
    return ["b", bucket.name, "o"] + segments.map { Text(String($0)) }
  }
}

extension Caller {
  /// The caller as rules see it; nil is not signed in.
  var rulesAuth: RulesAuth? {
    guard case .user(let user) = self else { return nil }
    return user.rulesAuth
  }
}
