/// An error in a condition's expression, with its position.
package struct ConditionError: Error, Sendable, Equatable {
  /// The character that the problem begins at, counted from one.
  package let column: Int
  /// The problem, without its position.
  package let message: String

  /// A problem at a column.
  package init(column: Int, _ message: String) {
    self.column = column
    self.message = message
  }
}
