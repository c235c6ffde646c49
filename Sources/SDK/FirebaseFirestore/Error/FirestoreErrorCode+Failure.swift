import BaseStatus
import FirestoreSync
import Foundation

// The objects that are thrown and delivered.

extension FirestoreErrorCode {
  /// The error object of a code with a text.
  static func error(_ code: Code, _ message: String) -> NSError {
    FirestoreErrorCode(code, userInfo: [NSLocalizedDescriptionKey: message]).object
  }

  /// The error object of a failure of the server or the client.
  static func error(_ failure: FirestoreFailure) -> NSError {
    error(Code(rawValue: failure.code.rawValue) ?? .unknown, failure.message)
  }

  /// The error object of an error that was thrown inside.
  static func app(_ error: any Error) -> NSError {
    switch error {
    case let failure as FirestoreFailure: Self.error(failure)
    case let error as ServiceError: Self.error(FirestoreFailure(error.code, error.message))
    case let error as LocalStoreError: Self.error(.unavailable, error.message)
    case is CancellationError: Self.error(.cancelled, "The task was cancelled.")
    default: error as NSError
    }
  }
}
