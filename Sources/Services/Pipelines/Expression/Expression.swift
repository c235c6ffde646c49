import BaseText
import FirestoreModel

/// An expression whose functions, arities and variables are checked.
indirect enum Expression: Sendable {
  case constant(Value)
  case field(FieldPath)
  case variable(String)
  case array([Expression])
  case map([Field])
  case call(FunctionDefinition, [Expression])
  case filter(array: Expression, element: String, body: Expression)
  case transform(array: Expression, element: String, index: String?, body: Expression)
  case rows(StagePlan, isScalar: Bool)

  /// A field of a map.
  struct Field: Sendable {
    let key: Text
    let value: Expression
  }

  /// The value of a constant; nil for anything else.
  var constantValue: Value? {
    if case .constant(let value) = self { value } else { nil }
  }
}

/// An expression and the field that its value goes to.
struct Assignment: Sendable {
  let path: FieldPath
  let expression: Expression
}
