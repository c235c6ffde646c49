import FirestoreModel

/// The next thing that an operator has.
enum Pull {
  case row(Row)
  /// The slice of work is used up; the next pull continues.
  case paused
  case end
}

/// A step of a running pipeline: pulls rows from those below and lends its own to the one above.
///
/// One thread at a time.
protocol RowOperator: AnyObject {
  /// The next row.
  func next() throws -> Pull
  /// The operator in the tree that `explain` shows.
  var node: PlanNode { get }
}

/// An operator as `explain` shows it.
final class PlanNode {
  let name: String
  /// The operators that this one pulls from, and the sub-pipelines that it runs.
  private(set) var children: [PlanNode]
  /// Rows that the operator gave.
  var rows = 0
  /// The bytes of those rows, where they are measured.
  var bytes = 0
  /// The time in the operator and those below it, where it is measured.
  var time = Duration.zero
  private let makeDetail: () -> String

  /// - Parameter detail: Only made where the tree is shown: sub-pipelines make operators for each row.
  init(
    _ name: String,
    _ detail: @autoclosure @escaping () -> String = "",
    _ children: [PlanNode] = []
  ) {
    self.name = name
    makeDetail = detail
    self.children = children
  }

  /// Adds a sub-pipeline that the operator runs.
  func add(_ child: PlanNode) { children.append(child) }

  /// The operator's fields, index or number in words.
  var detail: String { makeDetail() }

  /// The time in the operator alone.
  var ownTime: Duration { max(.zero, children.reduce(time) { $0 - $1.time }) }
}

/// Changes rows one by one, or drops them.
final class RowMapper: RowOperator {
  let node: PlanNode
  private let input: any RowOperator
  private let resources: Resources
  private let body: (Row) throws -> Row?

  init(
    _ name: String,
    _ detail: @autoclosure @escaping () -> String = "",
    _ input: any RowOperator,
    _ resources: Resources,
    _ body: @escaping (Row) throws -> Row?
  ) {
    node = PlanNode(name, detail(), [input.node])
    self.input = input
    self.resources = resources
    self.body = body
  }

  func next() throws -> Pull {
    while true {
      let pull = try input.next()
      guard case .row(let row) = pull else { return pull }
      try resources.step()
      if let result = try body(row) {
        node.rows += 1
        return .row(result)
      }
      if resources.isPaused { return .paused }
    }
  }
}

/// Takes a number of rows, and then asks for no more.
final class LimitOperator: RowOperator {
  let node: PlanNode
  private let input: any RowOperator
  private var rest: Int

  init(_ input: any RowOperator, _ limit: Int) {
    node = PlanNode("Limit", "\(limit)", [input.node])
    self.input = input
    rest = limit
  }

  func next() throws -> Pull {
    guard rest > 0 else { return .end }
    let pull = try input.next()
    if case .row = pull {
      rest -= 1
      node.rows += 1
    }
    return pull
  }
}

/// Leaves out a number of rows.
final class OffsetOperator: RowOperator {
  let node: PlanNode
  private let input: any RowOperator
  private let resources: Resources
  private var rest: Int

  init(_ input: any RowOperator, _ offset: Int, _ resources: Resources) {
    node = PlanNode("Offset", "\(offset)", [input.node])
    self.input = input
    self.resources = resources
    rest = offset
  }

  func next() throws -> Pull {
    while true {
      let pull = try input.next()
      guard case .row = pull else { return pull }
      if rest == 0 {
        node.rows += 1
        return pull
      }
      rest -= 1
      try resources.step()
      if resources.isPaused { return .paused }
    }
  }
}

/// The rows of one input and then those of another.
final class UnionOperator: RowOperator {
  let node: PlanNode
  private let first: any RowOperator
  private let second: any RowOperator
  private var isFirstDone = false

  init(_ first: any RowOperator, _ second: any RowOperator) {
    node = PlanNode("Concat", "", [first.node, second.node])
    self.first = first
    self.second = second
  }

  func next() throws -> Pull {
    if !isFirstDone {
      let pull = try first.next()
      switch pull {
      case .row:
        node.rows += 1
        return pull
      case .paused: return pull
      case .end: isFirstDone = true
      }
    }
    let pull = try second.next()
    if case .row = pull { node.rows += 1 }
    return pull
  }
}

/// Makes a row of each element of an array.
final class UnnestOperator: RowOperator {
  let node: PlanNode
  private let input: any RowOperator
  private let evaluator: Evaluator
  private let expression: Expression
  private let alias: FieldPath
  private let index: FieldPath?
  private var current: (row: Row, elements: [Value], position: Int)?

  init(
    _ input: any RowOperator,
    _ expression: Expression,
    alias: FieldPath,
    index: FieldPath?,
    _ evaluator: Evaluator
  ) {
    node = PlanNode("Unnest", alias.canonicalString, [input.node])
    self.input = input
    self.expression = expression
    self.alias = alias
    self.index = index
    self.evaluator = evaluator
  }

  func next() throws -> Pull {
    while true {
      if let (row, elements, position) = current {
        guard position < elements.count else {
          current = nil
          continue
        }
        current?.position += 1
        return .row(try self.row(row, elements[position], .integer(Int64(position))))
      }
      let pull = try input.next()
      guard case .row(let row) = pull else { return pull }
      let value = try evaluator.value(expression, row)
      guard case .array(let elements)? = value else {
        return .row(try self.row(row, value, .null))
      }
      current = (row, elements, 0)
    }
  }

  private func row(_ row: Row, _ value: Value?, _ position: Value) throws -> Row {
    try evaluator.resources.step()
    node.rows += 1
    var result = row
    if let value { try result.set(value, at: alias) } else { result.remove(alias) }
    if let index { try result.set(position, at: index) }
    return result
  }
}

/// Gives rows that another part of the pipeline has gathered.
struct GatheredRows {
  private var rows: [Row] = []
  private var sizes: [Int] = []
  private var position = 0

  /// Sets the rows, with the bytes that they count for.
  mutating func set(_ rows: [Row], sizes: [Int]) {
    self.rows = rows
    self.sizes = sizes
    position = 0
  }

  /// The next row, whose bytes count no longer.
  mutating func next(_ resources: Resources) -> Row? {
    guard position < rows.count else { return nil }
    defer {
      rows[position] = Row(MapValue())
      position += 1
    }
    resources.give(sizes[position])
    return rows[position]
  }
}
