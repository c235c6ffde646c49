import BaseStatus
import BaseText
import DocumentStore
import SecurityRules

// Giving out permits for buckets.

extension AccessControl {
  /// Creates the permit with the caller's rights in a bucket; throws PERMISSION_DENIED if there are
  /// none.
  ///
  /// Without rules production denies everything and development allows everything, as for databases.
  ///
  /// - Parameter check: Looks again at the caller's account, when the permit is old.
  package func permit(
    _ caller: Caller,
    _ bucket: BucketID,
    requestID: String = "",
    check: BucketPermit.Check? = nil
  ) throws(ServiceError) -> BucketPermit {
    let account = check.map {
      BucketPermit.AccountCheck(check: $0, due: .now + accountCheckInterval)
    }
    if caller.administers(bucket.project) {
      return BucketPermit(bucket, .administrator, account: account)
    }
    guard !caller.isAdministrator else { throw Self.denied }
    if case .user(let user) = caller, user.project != bucket.project {
      guard case .development = mode else { throw Self.denied }
      log.noteForeignToken(of: user.project, for: bucket)
    }
    guard let ruleset = ruleset(of: bucket) else {
      guard case .development = mode else {
        log.noteMissingRules(of: bucket, allowsEverything: false)
        throw Self.denied
      }
      log.noteMissingRules(of: bucket, allowsEverything: true)
      return BucketPermit(bucket, .everything, account: account)
    }
    let gate = ObjectGate(
      bucket: bucket,
      databases: databases,
      ruleset: ruleset,
      caller: caller,
      requestID: requestID,
      overwriting: overwriting,
      compatibility: compatibility,
      clock: clock,
      log: log
    )
    return BucketPermit(bucket, .rules(gate), account: account)
  }

  /// Gives out the right to a bucket to a caller of an administration API; throws PERMISSION_DENIED as
  /// `requireAdministration` does.
  ///
  /// - Parameter check: Looks again at the caller's account, when the permit is old.
  package func administratorPermit(
    for caller: Caller,
    _ bucket: BucketID,
    check: BucketPermit.Check? = nil
  ) throws(ServiceError) -> BucketPermit {
    try requireAdministration(caller, of: bucket.project)
    let account = check.map {
      BucketPermit.AccountCheck(check: $0, due: .now + accountCheckInterval)
    }
    return BucketPermit(bucket, .administrator, account: account)
  }

  /// A look at the account of a caller, for when its credentials may have expired; nil where no account can end.
  ///
  /// From memory alone; the check may wait for the disk.
  package func check(
    of caller: Caller,
    in project: Text,
    _ context: CallContext
  ) -> BucketPermit.Check? {
    switch caller {
    case .nobody: return nil
    case .user(let user):
      guard user.isSigned, let verifier else { return nil }
      return { () throws(ServiceError) in
        guard try verifier.mark(of: user) != nil else { throw Self.denied }
      }
    case .administrator, .projectAdministrator:
      let token = (context.authorization ?? "").split(separator: " ").last ?? ""
      if let key = verifier?.serviceAccountKey(holding: token) {
        return { [verifier] () throws(ServiceError) in
          guard verifier?.hasServiceAccountKey(key.keyID, of: key.email) == true else {
            throw Self.denied
          }
        }
      }
      guard let holder = administrators?.holder(of: token) else { return nil }
      return { [administrators] () throws(ServiceError) in
        let now = try administrators?.holder(uid: holder.uid, session: nil)
        guard now?.roles.caller(for: .editor)?.administers(project) == true else {
          throw Self.denied
        }
      }
    }
  }

  /// The rules in force for a bucket.
  ///
  /// The emulator has one ruleset for all buckets that have none of their own, and so has development.
  private func ruleset(of bucket: BucketID) -> ReleasedRuleset? {
    if let own = rules.current(.storage(bucket)) { return own }
    guard case .development = mode else { return nil }
    let defaults = BucketID.defaults(of: bucket.project).map(RulesTarget.storage)
    let others = [.emulated(bucket.name)] + defaults + [.emulatedStorage]
    return others.lazy.compactMap(rules.current).first
  }
}

extension AdministratorPermit {
  /// The right to a bucket.
  package func bucket(_ bucket: BucketID) throws(ServiceError) -> BucketPermit {
    try check(bucket.project)
    return BucketPermit(bucket, .administrator)
  }
}
