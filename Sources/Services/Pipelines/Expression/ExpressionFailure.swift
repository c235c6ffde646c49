/// The failure of an expression on one row: `where` drops the row, `if_error` catches it, elsewhere it ends the call.
struct ExpressionFailure: Error, Sendable {
  let message: String

  init(_ message: String) { self.message = message }

  /// A decimal128 in a function that would have to compute with it.
  static func decimal(_ function: String) -> ExpressionFailure {
    ExpressionFailure(
      "The function \(function) doesn't compute with values of the type decimal128."
    )
  }

  /// An argument of a type that the function does not take.
  static func wrongType(_ function: String) -> ExpressionFailure {
    ExpressionFailure("The function \(function) doesn't take an argument of that type.")
  }
}
