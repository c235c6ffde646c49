import DocumentStore
import FirestoreModel
import FirestoreWire
import Synchronization

/// The documents of a batch get, already read, encoded as they are sent.
final class BatchGetStream: ResponseStream {
  private let found: BatchGetResult
  private let database: DatabaseID
  private let mask: [FieldPath]?
  private let position = Mutex(0)

  init(_ found: BatchGetResult, in database: DatabaseID, mask: [FieldPath]?) {
    self.found = found
    self.database = database
    self.mask = mask
  }

  func next(
    maxBytes: Int,
    respond: @escaping @Sendable (Result<[[UInt8]], FirestoreError>) -> Void
  ) {
    respond(.success(position.withLock { take(maxBytes, from: &$0) }))
  }

  /// Position 0 is the message that only carries a new transaction's id.
  private func take(_ maxBytes: Int, from position: inout Int) -> [[UInt8]] {
    var messages: [[UInt8]] = []
    var size = 0
    if position == 0 {
      position = 1
      if let transaction = found.newTransaction {
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
    while position <= found.items.count, size < maxBytes {
      let message = encode(found.items[position - 1])
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
      readTime: found.readTime,
      mask: mask
    )
    return response.encoded()
  }
}
