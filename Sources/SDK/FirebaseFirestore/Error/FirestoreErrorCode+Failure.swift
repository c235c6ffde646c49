import FirestoreModel
import FirestoreSync
import Foundation

extension FirestoreErrorCode {
  /// The error that a failure of the server or the client is to apps.
  init(_ failure: FirestoreFailure) {
    self.init(
      Code(rawValue: failure.code.rawValue) ?? .unknown,
      userInfo: [NSLocalizedDescriptionKey: failure.message]
    )
  }

  init(_ code: Code, _ message: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: message])
  }

  /// What an error that was thrown inside is to apps.
  static func app(_ error: any Error) -> any Error {
    switch error {
    case let failure as FirestoreFailure: FirestoreErrorCode(failure)
    case let error as FirestoreError:
      FirestoreErrorCode(FirestoreFailure(error.code, error.message))
    case let error as LocalStoreError: FirestoreErrorCode(.unavailable, error.message)
    default: error
    }
  }
}
