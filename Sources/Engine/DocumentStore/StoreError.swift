import BaseStatus
import FirestoreModel
import KeyValueStore

// The store's messages to clients, each text in one place.
extension ServiceError {
  static func noDocumentToUpdate(_ name: DocumentName) -> ServiceError {
    ServiceError(.notFound, "No document to update: \(name.string)")
  }

  static func documentExists(_ name: DocumentName) -> ServiceError {
    ServiceError(.alreadyExists, "Document already exists: \(name.string)")
  }

  static func baseVersion(stored: CommitVersion, required: CommitVersion) -> ServiceError {
    ServiceError(
      .failedPrecondition,
      "the stored version (\(stored.microseconds)) does not match the required base version "
        + "(\(required.microseconds))"
    )
  }

  static func baseVersionTooNew(_ name: DocumentName) -> ServiceError {
    .invalidArgument("Invalid base version, it is greater than the stored version: \(name.string)")
  }

  static let contention = ServiceError(
    .aborted,
    contentionMessage
  )

  private static let contentionMessage =
    "Too much contention on these documents. Please try again."

  /// True if this is `contention`.
  var isContention: Bool { code == .aborted && message == Self.contentionMessage }

  /// The token of a transaction that ended well, by rollback or by its age.
  static let transactionOver = ServiceError(
    .aborted,
    "The referenced transaction has expired or is no longer valid."
  )

  /// The token of a transaction whose commit was refused.
  static let transactionRefused = invalidArgument(
    "The referenced transaction has expired or is no longer valid."
  )

  static let unknownTransaction = invalidArgument("Invalid transaction.")
  static let badRetryTransaction = invalidArgument("Invalid retry transaction.")
  static let readOnlyTransaction = invalidArgument(
    "Cannot modify entities in a read-only transaction."
  )
  static let readTimeTooOld = invalidArgument("The requested snapshot version is too old.")
  static let readTimeInFuture = invalidArgument(
    "The requested 'read_time' cannot be in the future."
  )

  /// NOT_FOUND for a database that there is not, with its id and project.
  package static func unknownDatabase(_ id: DatabaseID) -> ServiceError {
    ServiceError(
      .notFound,
      "The database \(id.database.string) does not exist for project \(id.project.string)"
    )
  }

  static func databaseIsBeingCopied(_ id: DatabaseID) -> ServiceError {
    ServiceError(
      .failedPrecondition,
      "The database \(id.database) is being filled by a clone. Write to it when that operation is done."
    )
  }

  static func databaseIsBeingRestored(_ id: DatabaseID) -> ServiceError {
    ServiceError(
      .failedPrecondition,
      """
      The database \(id.database) is being restored from a backup. Write to it when that operation is done. On a server without \
      --backup the restore waits: start the server with it, or delete the database.
      """
    )
  }

  static func databaseIsNotRestored(_ id: DatabaseID, _ failure: String) -> ServiceError {
    ServiceError(
      .failedPrecondition,
      "The database \(id.database) takes no writes, since its restore failed: \(failure) Delete it and restore it again."
    )
  }

  static func fillIsOver(_ id: DatabaseID) -> ServiceError {
    ServiceError(
      .failedPrecondition,
      "The restore of the database \(id.database) is over, or the database was deleted: nothing more is written into it."
    )
  }

  static let tooManyTransactions = ServiceError(
    .resourceExhausted,
    "Too many transactions are in progress. Try again later."
  )

  static let tooManyTransactionsOfCaller = ServiceError(
    .resourceExhausted,
    "This caller has too many transactions in progress. Try again later."
  )

  static let tooManyTransactionReads = ServiceError(
    .resourceExhausted,
    "The transaction has read too many documents."
  )

  /// The error that clients receive if the queue of the engine threads has no room for their job.
  package static let overloaded = ServiceError(
    .resourceExhausted,
    "The server is overloaded. Try again later."
  )

  /// The error that clients receive when the engine fails; the cause is for the log.
  package static func storage(_ error: any Error) -> ServiceError {
    if let known = error as? ServiceError { return known }
    if let cause = error as? KeyValueError, cause.code == .overloaded { return .overloaded }
    if let cause = error as? KeyValueError, cause.code == .corruption {
      return ServiceError(.dataLoss, "Stored data is damaged.", cause: cause)
    }
    return ServiceError(.unavailable, KeyValueError.textForClients(error), cause: error)
  }
}
