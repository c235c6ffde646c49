#if canImport(Combine)
import Combine
import FirebaseCore
import FirebaseFirestore
import Foundation

extension WriteBatch {
  /// Commits the batch; the future ends with the server's response.
  @discardableResult
  public func commit() -> Future<Void, any Error> {
    Future(ofEnd: { [self] in commit(completion: $0) })
  }
}

extension Firestore {
  /// Runs a block until its writes could be committed; it is called on a thread of its own, perhaps
  /// several times.
  ///
  /// An error that the block throws ends the transaction.
  public func runTransaction<T>(
    _ updateBlock: @escaping (Transaction) throws -> T
  ) -> Future<T, any Error> {
    Future { promise in
      self.runTransaction(
        { transaction, errorPointer in
          do {
            return try updateBlock(transaction)
          } catch {
            errorPointer?.pointee = error as NSError
            return nil
          }
        },
        completion: { value, error in
          if let value = value as? T {
            promise(.success(value))
          } else {
            promise(.failure(error ?? FirestoreErrorCode(.internal) as NSError))
          }
        }
      )
    }
  }
}
#endif
