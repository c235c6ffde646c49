import FirestoreModel
import Foundation

/// What a command prints of a refusal that it does not explain further.
extension FirestoreError: LocalizedError {
  /// The message alone.
  package var errorDescription: String? { message }
}
