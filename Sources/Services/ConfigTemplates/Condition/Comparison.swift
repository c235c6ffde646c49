/// The comparison of two values that have an order.
package enum Comparison: String, Sendable {
  case less = "<"
  case lessOrEqual = "<="
  case equal = "=="
  case notEqual = "!="
  case greaterOrEqual = ">="
  case greater = ">"

  /// The comparison of an operator; older expressions have `=` for equality.
  init?(symbol: String) {
    if symbol == "=" { self = .equal } else { self.init(rawValue: symbol) }
  }

  /// Returns true if the comparison is true of two values.
  func holds<Value: Comparable>(_ left: Value, _ right: Value) -> Bool {
    switch self {
    case .less: left < right
    case .lessOrEqual: left <= right
    case .equal: left == right
    case .notEqual: left != right
    case .greaterOrEqual: left >= right
    case .greater: left > right
    }
  }
}
