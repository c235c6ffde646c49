import FirestoreModel

/// Measures an operator for `explain`: the bytes of its rows, and the time in it and below it.
final class ObservedOperator: RowOperator {
  private let inner: any RowOperator
  private let resources: Resources

  init(_ inner: any RowOperator, _ resources: Resources) {
    self.inner = inner
    self.resources = resources
  }

  var node: PlanNode { inner.node }

  func next() throws -> Pull {
    let start = resources.clock()
    defer { node.time += resources.clock() - start }
    let pull = try inner.next()
    if case .row(let row) = pull { node.bytes += row.size(limit: resources.memoryLimit) }
    return pull
  }
}
