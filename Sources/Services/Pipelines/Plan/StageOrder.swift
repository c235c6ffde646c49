import FirestoreModel

/// The order in which rows leave a run of stages.
struct StageOrder {
  /// The orders of the last sort behind which nothing has changed or mixed the rows.
  private let orders: [SortOrder]

  init(_ stages: ArraySlice<Stage>) {
    for stage in stages.reversed() {
      switch stage {
      case .filter, .limit, .offset, .define: continue
      case .sort(let orders):
        self.orders = orders
        return
      default:
        orders = []
        return
      }
    }
    orders = []
  }

  /// True where rows of one group come one behind the other: the groups are the fields that the sort begins with.
  func gathers(_ groups: [Assignment]) -> Bool {
    let fields = Set(groups.compactMap { Self.field($0.expression) })
    guard !groups.isEmpty, groups.allSatisfy({ Self.field($0.expression) != nil }) else {
      return false
    }
    let first = orders.prefix(fields.count).compactMap { Self.field($0.expression) }
    return first.count == fields.count && Set(first) == fields
  }

  private static func field(_ expression: Expression) -> FieldPath? {
    if case .field(let path) = expression { path } else { nil }
  }
}
