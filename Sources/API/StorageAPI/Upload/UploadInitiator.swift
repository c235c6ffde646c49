import Access
import BaseRuntime
import BaseStatus
import BaseText
import ObjectStorage

/// The account that began a resumable upload, and its dialect, as stored in the upload.
///
/// As bytes: one for the dialect, then the account's record.
struct UploadInitiator: Sendable, Hashable {
  enum Dialect: UInt8, Sendable {
    case json = 0x4A
    case firebase = 0x46
    case xml = 0x58
  }

  let dialect: Dialect
  let account: CallerAccount

  var record: [UInt8] { [dialect.rawValue] + account.record }

  init(_ dialect: Dialect, _ account: CallerAccount) {
    self.dialect = dialect
    self.account = account
  }

  /// The initiator of an upload; nil for one without an initiator, which can't be continued.
  init?(record: [UInt8]) {
    guard let dialect = record.first.flatMap(Dialect.init),
      let account = CallerAccount(record: Array(record.dropFirst()))
    else { return nil }
    self.init(dialect, account)
  }
}

/// The rights of the accounts that began uploads.
///
/// An upload may continue for days, by its ID alone. So every step looks again at the account
/// (gone, disabled, its key taken back), its roles and the rules; an upload whose account lost its
/// right ends with what came of it.
struct UploadRights: Sendable {
  let storage: ObjectStorage
  let access: AccessControl
  let threads: EngineThreads
  /// The project of a shared secret that is in use; nil where there is none.
  ///
  /// Blocks.
  var projectOfSecret: @Sendable (String) throws -> Text? = { _ in nil }

  /// The bucket of an upload with the rights that its account has now.
  ///
  /// Throws PERMISSION_DENIED where it has none, and gives the upload up.
  func bucket(
    of session: UploadSession,
    _ dialect: UploadInitiator.Dialect,
    requestID: String = "",
    eventDepth: Int = 0
  ) async throws -> Bucket {
    guard let initiator = UploadInitiator(record: session.initiator), initiator.dialect == dialect
    else { throw StorageError(.notFound, "The upload session does not exist or has expired.") }
    let (account, id) = (
      initiator.account, BucketID(project: session.project, name: session.bucket.text)
    )
    do {
      var permit = try await threads.run {
        let check: BucketPermit.Check = { () throws(ServiceError) in
          _ = try self.permit(of: account, id, dialect, requestID, check: nil)
        }
        return try self.permit(of: account, id, dialect, requestID, check: check)
      }
      permit.eventDepth = eventDepth
      let bucket = try await storage.bucket(permit)
      if await session.isOpen { try await bucket.requireUpload(session.object) }
      return bucket
    } catch let error as ServiceError where error.code == .permissionDenied {
      try await session.end()
      throw error
    }
  }

  /// The right that an account has to a bucket now.
  ///
  /// - Parameter check: Asks again, for when the bytes of a request take their time.
  private func permit(
    of account: CallerAccount,
    _ id: BucketID,
    _ dialect: UploadInitiator.Dialect,
    _ requestID: String,
    check: BucketPermit.Check?
  ) throws(ServiceError) -> BucketPermit {
    let caller = try caller(of: account, for: id.project)
    // Google's own APIs are for administrators alone.
    return dialect == .firebase
      ? try access.permit(caller, id, requestID: requestID, check: check)
      : try access.administratorPermit(for: caller, id, check: check)
  }

  private func caller(
    of account: CallerAccount,
    for project: Text
  ) throws(ServiceError) -> Caller {
    guard case .sharedSecret(let accessID) = account else {
      return try access.caller(of: account)
    }
    let own: Text?
    do {
      own = try projectOfSecret(accessID)
    } catch {
      throw ServiceError(.unavailable, "The service is currently unavailable.", cause: error)
    }
    guard own == project else { throw AccessControl.denied }
    return .administrator
  }
}
