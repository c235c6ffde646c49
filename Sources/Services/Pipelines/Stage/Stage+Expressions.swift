extension Stage {
  /// The expressions that the stage evaluates for each row.
  var expressions: [Expression] {
    switch self {
    case .filter(let condition): [condition]
    case .select(let changes), .addFields(let changes), .distinct(let changes),
      .update(let changes):
      changes.map(\.expression)
    case .aggregate(let calls, let groups):
      calls.compactMap(\.expression) + groups.map(\.expression)
    case .sort(let orders): orders.map(\.expression)
    case .findNearest(let stage): [stage.field]
    case .replaceWith(let expression, _), .unnest(let expression, _, _): [expression]
    case .define(let variables): variables.map(\.expression)
    case .removeFields, .offset, .limit, .sample, .union, .delete: []
    }
  }
}
