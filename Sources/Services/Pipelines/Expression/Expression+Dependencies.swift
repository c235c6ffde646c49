import BaseStatus
import FirestoreModel

extension Expression {
  /// True where the expression reads nothing of the row but its variables, and gives the same value each time.
  var isFixed: Bool {
    switch self {
    case .constant, .variable: true
    case .field, .rows: false
    case .array(let elements): elements.allSatisfy(\.isFixed)
    case .map(let fields): fields.allSatisfy(\.value.isFixed)
    case .call(let function, let arguments):
      function.name != "rand" && !function.readsWholeRow && arguments.allSatisfy(\.isFixed)
    case .filter(let array, _, let body), .transform(let array, _, _, let body):
      array.isFixed && body.isFixed
    }
  }

  /// True where a variable is named anywhere in the expression.
  var usesVariables: Bool {
    switch self {
    case .constant, .field: false
    case .variable, .rows, .filter, .transform: true
    case .array(let elements): elements.contains(where: \.usesVariables)
    case .map(let fields): fields.contains(where: \.value.usesVariables)
    case .call(_, let arguments): arguments.contains(where: \.usesVariables)
    }
  }

  /// True where the expression may read one of these variables; a sub-pipeline may read any.
  func mayUse(_ names: Set<String>) -> Bool {
    switch self {
    case .constant, .field: false
    case .variable(let name): names.contains(name)
    case .rows: !names.isEmpty
    case .array(let elements): elements.contains { $0.mayUse(names) }
    case .map(let fields): fields.contains { $0.value.mayUse(names) }
    case .call(_, let arguments): arguments.contains { $0.mayUse(names) }
    case .filter(let array, _, let body), .transform(let array, _, _, let body):
      array.mayUse(names) || body.mayUse(names)
    }
  }

  /// The sub-pipelines that run for a row as it is; not those inside functions that bind variables of their own.
  var subPipelines: [StagePlan] {
    switch self {
    case .constant, .field, .variable: []
    case .rows(let plan, _): [plan]
    case .array(let elements): elements.flatMap(\.subPipelines)
    case .map(let fields): fields.flatMap(\.value.subPipelines)
    case .call(_, let arguments): arguments.flatMap(\.subPipelines)
    case .filter(let array, _, _), .transform(let array, _, _, _): array.subPipelines
    }
  }

  /// All sub-pipelines, those for each element of an array included.
  var allSubPipelines: [StagePlan] {
    switch self {
    case .constant, .field, .variable: []
    case .rows(let plan, _): [plan]
    case .array(let elements): elements.flatMap(\.allSubPipelines)
    case .map(let fields): fields.flatMap(\.value.allSubPipelines)
    case .call(_, let arguments): arguments.flatMap(\.allSubPipelines)
    case .filter(let array, _, let body), .transform(let array, _, _, let body):
      array.allSubPipelines + body.allSubPipelines
    }
  }

  /// The parts of which all must be true: the arguments of `and`, or the expression alone.
  var conjuncts: [Expression] {
    guard case .call(let function, let arguments) = self, function.name == "and"
    else { return [self] }
    return arguments.flatMap(\.conjuncts)
  }

  /// The document whose ID the expression takes: `document_id(__name__)`.
  var isOwnDocumentID: Bool {
    guard case .call(let function, let arguments) = self, function.name == "document_id",
      case .field(.documentName) = arguments[0]
    else { return false }
    return true
  }
}

extension FunctionDefinition {
  /// True if the result depends on the row without an argument that names a field.
  var readsWholeRow: Bool { name == "current_document" || name == "current_context" }
}

extension Evaluator {
  /// The value of an expression that reads no row; nil where it reads one, fails or is absent.
  func fixedValue(_ expression: Expression, _ variables: [String: Value?]) throws -> Value? {
    if case .constant(let value) = expression { return value }
    if case .variable(let name) = expression { return variables[name] ?? nil }
    guard expression.isFixed else { return nil }
    do {
      return try value(expression, Row(MapValue(), variables: variables))
    } catch is ExpressionFailure {
      return nil
    } catch let error as ServiceError where error.code == .resourceExhausted {
      return nil
    }
  }
}
