import DocumentStore
import FirestoreModel
import SecurityRules

// Giving out permits for buckets.

extension AccessControl {
  /// Gives out what the caller may do in a bucket; throws PERMISSION_DENIED where that is nothing.
  ///
  /// Without rules production denies everything and development allows everything, as for databases.
  package func permit(
    _ caller: Caller,
    _ bucket: BucketID,
    requestID: String = ""
  ) throws(FirestoreError) -> BucketPermit {
    if caller.administers(bucket.project) { return BucketPermit(bucket, .administrator) }
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
      return BucketPermit(bucket, .everything)
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
    return BucketPermit(bucket, .rules(gate))
  }

  /// Gives out the right to a bucket to a caller of an administration API; throws PERMISSION_DENIED as
  /// `requireAdministration` does.
  package func administratorPermit(
    for caller: Caller,
    _ bucket: BucketID
  ) throws(FirestoreError) -> BucketPermit {
    try requireAdministration(caller, of: bucket.project)
    return BucketPermit(bucket, .administrator)
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
  package func bucket(_ bucket: BucketID) throws(FirestoreError) -> BucketPermit {
    try check(bucket.project)
    return BucketPermit(bucket, .administrator)
  }
}
