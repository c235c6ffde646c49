/// The variables of outer rows that a pipeline reads, and functions of chance.
struct PlanDependencies {
  /// True where the pipeline gives the same rows for each outer row.
  private(set) var isFixed = true

  /// - Parameter plan: A sub-pipeline.
  init(_ plan: StagePlan) {
    if case .subcollection = plan.input { isFixed = false }
    add(plan, bound: [])
  }

  private mutating func add(_ plan: StagePlan, bound outer: Set<String>) {
    if case .literals(let rows) = plan.input { add(rows, outer) }
    var bound = outer
    for stage in plan.stages {
      add(stage.expressions, bound)
      switch stage {
      case .define(let variables): bound.formUnion(variables.map(\.name))
      case .aggregate, .distinct: bound = outer
      case .union(let inner): add(inner, bound: outer)
      case .sample: isFixed = false
      default: continue
      }
    }
  }

  private mutating func add(_ expressions: [Expression], _ bound: Set<String>) {
    for expression in expressions { add(expression, bound) }
  }

  private mutating func add(_ expression: Expression, _ bound: Set<String>) {
    switch expression {
    case .constant, .field: return
    case .variable(let name): if !bound.contains(name) { isFixed = false }
    case .array(let elements): add(elements, bound)
    case .map(let fields): add(fields.map(\.value), bound)
    case .call(let function, let arguments):
      if function.name == "rand" { isFixed = false }
      add(arguments, bound)
    case .filter(let array, let element, let body):
      add(array, bound)
      add(body, bound.union([element]))
    case .transform(let array, let element, let index, let body):
      add(array, bound)
      add(body, bound.union([element, index].compactMap(\.self)))
    case .rows(let plan, _): add(plan, bound: bound)
    }
  }
}
