import FirestoreModel
import Foundation

/// What a command prints of a refusal that it does not explain further.
extension FirestoreError: @retroactive LocalizedError {
  /// The message alone.
  public var errorDescription: String? { message }
}
