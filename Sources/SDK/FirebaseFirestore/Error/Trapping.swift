import Foundation

// Programming errors trap with Google's texts. Each trap has a variant that throws: a call named
// `check`, or one with the argument `at`.

/// Returns the text of an error of the SDK's own checks.
func misuseText(_ error: any Error) -> String {
  switch error {
  case let problem as UserValue.Problem: problem.message
  case let problem as QueryProblem: problem.message
  case let error as FirestoreErrorCode: error.localizedDescription
  default: "\(error)"
  }
}

/// Runs a call that may be misused; traps with the text of the error.
func trapping<R>(_ body: () throws -> R) -> R {
  do {
    return try body()
  } catch {
    fatalError(misuseText(error))
  }
}

/// Runs a call that may be misused; throws `invalidArgument` with the text of the error.
func checking<R>(_ body: () throws -> R) throws -> R {
  do {
    return try body()
  } catch let error as FirestoreErrorCode {
    throw error.object
  } catch {
    throw FirestoreErrorCode.error(.invalidArgument, misuseText(error))
  }
}

/// Throws `invalidArgument` unless a condition holds.
func require(_ condition: Bool, _ text: @autoclosure () -> String) throws {
  try require(condition, .invalidArgument, text())
}

/// Throws an error of a code unless a condition holds.
func require(
  _ condition: Bool,
  _ code: FirestoreErrorCode.Code,
  _ text: @autoclosure () -> String
) throws {
  if !condition { throw FirestoreErrorCode.error(code, text()) }
}
