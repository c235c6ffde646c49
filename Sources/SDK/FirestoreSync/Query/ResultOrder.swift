import FirestoreModel

/// The order of a query's results, apart from all else of the query, which would be copied with every comparison.
struct ResultOrder: Sendable {
  /// The directions of the values that order, then the name's.
  private let isAscending: [Bool]

  init(isAscending: [Bool]) { self.isAscending = isAscending }

  /// Where one result is placed relative to another; the keys are those of `ListenQuery.sortKey`.
  func compare(
    _ left: (key: [Value], path: ResourcePath),
    _ right: (key: [Value], path: ResourcePath)
  ) -> Ordering {
    for (index, (first, second)) in zip(left.key, right.key).enumerated() {
      let result = first.compare(second)
      if result != .equal { return isAscending[index] ? result : result.reversed }
    }
    let result = left.path.compare(right.path)
    return isAscending.last == false ? result.reversed : result
  }
}
