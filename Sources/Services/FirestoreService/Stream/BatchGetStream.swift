import Access
import BaseRuntime
import BaseStatus
import DocumentStore
import FirestoreModel
import FirestoreWire
import Synchronization

/// The documents of a batch get, already read, encoded as they are sent: those that exist before those
/// that are missing, each group in the order of the request.
final class BatchGetStream: ResponseStream {
  private let items: [BatchGetResult.Item]
  private let readTime: CommitVersion
  private let newTransaction: TransactionID?
  private let database: DatabaseID
  private let mask: [FieldPath]?
  /// The documents count on it until the stream is gone.
  private let lease: ByteLease?
  private let position = Mutex(0)

  init(
    _ found: BatchGetResult,
    in database: DatabaseID,
    mask: [FieldPath]?,
    lease: ByteLease?
  ) {
    self.lease = lease
    items = found.items.filter { $0.record != nil } + found.items.filter { $0.record == nil }
    readTime = found.readTime
    newTransaction = found.newTransaction
    self.database = database
    self.mask = mask
  }

  func next(
    maxBytes: Int,
    respond: @escaping @Sendable (Result<[[UInt8]], ServiceError>) -> Void
  ) {
    respond(.success(position.withLock { take(maxBytes, from: &$0) }))
  }

  /// Position 0 is the message that only carries a new transaction's id.
  private func take(_ maxBytes: Int, from position: inout Int) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var size = 0
    if position == 0 {
      position = 1
      if let transaction = newTransaction {
        messages.append(
          BatchGetDocumentsResponse(
            result: nil,
            transaction: transaction.bytes,
            readTime: nil,
            mask: nil
          ).encoded()
        )
      }
    }
    while position <= items.count, size < maxBytes {
      let message = encode(items[position - 1])
      size += message.count
      messages.append(message)
      position += 1
    }
    return messages
  }

  private func encode(_ item: BatchGetResult.Item) -> [UInt8] {
    let name = DocumentName(database: database, path: item.path)
    let response = BatchGetDocumentsResponse(
      result: item.record.map { .found($0) } ?? .missing(name),
      readTime: readTime,
      mask: mask
    )
    return response.encoded()
  }
}
