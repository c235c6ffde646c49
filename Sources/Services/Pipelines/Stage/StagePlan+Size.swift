extension StagePlan {
  /// The most rows of a small pipeline.
  private static let fewRows = 100

  /// True where the first rows that fields and constants alone find are wanted, so that an index may find them at once.
  var isSmall: Bool {
    switch input {
    case .collection, .collectionGroup: break
    case .database, .documents, .literals, .subcollection: return false
    }
    var isLimited = false
    for stage in stages {
      switch stage {
      case .filter(let condition): guard condition.isComparison else { return false }
      case .sort(let orders): guard orders.allSatisfy(\.expression.isField) else { return false }
      case .select(let fields), .addFields(let fields):
        guard fields.allSatisfy(\.expression.isField) else { return false }
      case .define(let variables):
        guard variables.allSatisfy(\.expression.isSimple) else { return false }
      case .removeFields: continue
      case .offset(let count): guard count <= Self.fewRows else { return false }
      case .limit(let count):
        guard count <= Self.fewRows else { return false }
        isLimited = true
      default: return false
      }
    }
    return isLimited
  }
}

extension Expression {
  /// The functions whose work is little where their arguments are fields and constants.
  private static let comparisons: Set<String> = [
    "and", "or", "equal", "not_equal", "less_than", "less_than_or_equal", "greater_than",
    "greater_than_or_equal", "equal_any", "array_contains", "array_contains_any", "exists",
  ]

  fileprivate var isField: Bool { if case .field = self { true } else { false } }

  fileprivate var isSimple: Bool { isField || isConstant }

  /// True for comparisons of fields with constants, and combinations of these.
  fileprivate var isComparison: Bool {
    guard case .call(let function, let arguments) = self else { return false }
    return Self.comparisons.contains(function.name)
      && arguments.allSatisfy { $0.isSimple || $0.isComparison }
  }

  private var isConstant: Bool {
    switch self {
    case .constant: true
    case .array(let elements): elements.allSatisfy(\.isConstant)
    default: false
    }
  }
}
