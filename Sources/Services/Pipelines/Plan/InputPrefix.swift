import FirestoreModel

/// The conditions and the sort that a pipeline begins with, brought in front of each `let` among them.
///
/// A `let` changes no field and drops no row: what follows it may run first unless it reads the
/// variables. Only errors tell the difference: a `let` no longer fails for a row that a condition
/// behind it drops.
struct InputPrefix {
  /// A condition, and the same as a classic query has it where it does.
  struct Condition {
    let expression: Expression
    let filter: Filter?
    /// The half of a classic filter that the condition is, where it is no whole one.
    let half: FilterConverter.Half?
    /// The place among all conditions of the pipeline's first stages, in the order of the request.
    let number: Int
  }

  private(set) var conditions: [Condition] = []
  private(set) var orders: [SortOrder] = []
  /// The pipeline's stages, those of the prefix first; they give the rows that its own stages give.
  private(set) var stages: [Stage]
  /// Stages that belong to the prefix.
  private(set) var count = 0

  init(_ stages: [Stage], _ converter: FilterConverter) throws {
    self.stages = stages
    var first: [Stage] = []
    var passed = PassedStages()
    var number = 0
    var seen = 0
    prefix: for stage in stages {
      switch stage {
      case .define: passed.append(stage)
      case .filter(let expression):
        for part in expression.conjuncts {
          defer { number += 1 }
          guard passed.mayFollow(part) else {
            passed.append(.filter(part))
            continue
          }
          first.append(.filter(part))
          conditions.append(try Self.condition(part, number, converter))
        }
      case .sort(let orders):
        if passed.mayFollow(orders) {
          first.append(stage)
          self.orders = orders
        } else {
          passed.append(stage)
        }
      default: break prefix
      }
      seen += 1
    }
    count = seen
    guard !passed.stages.isEmpty else { return }
    self.stages = first + passed.stages + stages[seen...]
    count = first.count
  }

  private static func condition(
    _ expression: Expression,
    _ number: Int,
    _ converter: FilterConverter
  ) throws -> Condition {
    let filter = try converter.filter(expression)
    let half = filter == nil ? try converter.half(expression) : nil
    return Condition(expression: expression, filter: filter, half: half, number: number)
  }

  /// The orders as a classic query has them, where conditions make sure that each document has the fields.
  var classicOrders: [Order]? {
    guard let (orders, optional) = fieldOrders, optional.isEmpty else { return nil }
    return orders
  }

  /// The same where documents may lack some of the fields, and those fields; nil where they may not, and without a sort.
  var lenientOrders: (orders: [Order], optional: Set<FieldPath>)? {
    guard let fieldOrders, !fieldOrders.optional.isEmpty else { return nil }
    return fieldOrders
  }

  /// The orders, and the fields of them that documents may lack; nil where a sort is by anything but fields.
  private var fieldOrders: (orders: [Order], optional: Set<FieldPath>)? {
    var result: [Order] = []
    var optional: Set<FieldPath> = []
    for order in orders {
      guard case .field(let path) = order.expression, path != .createTime, path != .updateTime
      else { return nil }
      result.append(Order(path, order.isDescending ? .descending : .ascending))
      if path.isDocumentName { break }
      if !conditions.contains(where: { isPresent(path, $0) }) { optional.insert(path) }
    }
    return (result, optional)
  }

  /// An order by those needed fields that an `exists` makes sure of in each document; nil where there are none.
  func presentOrders(of needed: NeededFields?) -> [Order]? {
    let fields = (needed?.paths ?? []).filter { path in
      conditions.contains { isExistence($0.expression, of: path) }
    }
    guard !fields.isEmpty else { return nil }
    return fields.sorted { $0.canonicalString < $1.canonicalString }.map { Order($0, .ascending) }
  }

  private func isPresent(_ path: FieldPath, _ condition: Condition) -> Bool {
    if case .field(path, _, _)? = condition.filter { return true }
    return isExistence(condition.expression, of: path)
  }

  /// Returns true if a condition only asks for a field that an order asks for anyway.
  func isExistence(_ expression: Expression, of path: FieldPath) -> Bool {
    guard case .call(let function, let arguments) = expression, function.name == "exists",
      case .field(path) = arguments[0]
    else { return false }
    return true
  }
}

/// The stages that others may run before although they come first in the request.
private struct PassedStages {
  private(set) var stages: [Stage] = []
  private var variables: Set<String> = []
  private var areDefinitions = true

  mutating func append(_ stage: Stage) {
    stages.append(stage)
    if case .define(let defined) = stage {
      variables.formUnion(defined.map(\.name))
    } else {
      areDefinitions = false
    }
  }

  /// Returns true if a condition gives the same before the stages.
  func mayFollow(_ condition: Expression) -> Bool { !condition.mayUse(variables) }

  /// Returns true if a sort gives the same before the stages, and they would not leave it fewer rows.
  func mayFollow(_ orders: [SortOrder]) -> Bool {
    areDefinitions && !orders.contains { $0.expression.mayUse(variables) }
  }
}

extension InputPrefix {
  /// Classic filters that hold where all conditions are true, and that no condition amounts to alone.
  ///
  /// `not_equal` is true for an absent field and for null, a classic `!=` for neither. So another
  /// condition must find the field there, and null is an alternative unless one excludes it.
  var negations: [Filter] {
    let present = Set(conditions.compactMap { $0.half?.presentField })
    let nonNull = Set(conditions.compactMap { $0.half?.nonNullField })
    let compared = Set(conditions.compactMap { $0.filter?.comparedField })
    return conditions.compactMap { condition in
      guard case .differs(let path, let value)? = condition.half else { return nil }
      let differs = Filter.field(path, .notEqual, value)
      if compared.contains(path) { return value.isNull ? nil : differs }
      guard present.contains(path) else { return nil }
      if value.isNull { return .unary(path, .isNotNull) }
      return nonNull.contains(path) ? differs : .or([differs, .unary(path, .isNull)])
    }
  }
}

extension FilterConverter.Half {
  fileprivate var presentField: FieldPath? {
    if case .exists(let path) = self { path } else { nil }
  }

  fileprivate var nonNullField: FieldPath? {
    if case .differs(let path, .null) = self { path } else { nil }
  }
}

extension Filter {
  /// The field of a comparison that only values other than null pass.
  fileprivate var comparedField: FieldPath? {
    guard case .field(let path, let operation, _) = self else { return nil }
    return switch operation {
    case .notEqual, .notIn: nil
    default: path
    }
  }
}
