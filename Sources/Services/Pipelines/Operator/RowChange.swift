import FirestoreModel

/// The change that a stage makes to one row without looking at others.
struct RowChange {
  /// The operator's name for `explain`.
  let name: String
  /// The fields or the condition in words, for `explain`.
  let detail: () -> String
  /// The row as it is changed; nil drops it.
  let body: (Row, Evaluator) throws -> Row?

  private init(
    _ name: String,
    _ detail: @autoclosure @escaping () -> String,
    _ body: @escaping (Row, Evaluator) throws -> Row?
  ) {
    self.name = name
    self.detail = detail
    self.body = body
  }

  /// Keeps the rows for which a condition is true.
  init(filter condition: Expression) {
    self.init("Filter", condition.summary) { row, evaluator in
      try evaluator.holds(condition, row) ? row : nil
    }
  }

  /// The change of a stage; nil for stages that look at several rows, or change none.
  init?(_ stage: Stage) {
    switch stage {
    case .filter(let condition): self.init(filter: condition)
    case .select(let changes): self.init(select: changes)
    case .addFields(let changes): self.init("Compute", adding: changes)
    case .update(let changes): self.init("AddFields", adding: changes)
    case .removeFields(let paths):
      self.init("Compute", "remove_fields") { row, _ in
        var result = row
        for path in paths { result.remove(path) }
        return result
      }
    case .replaceWith(let expression, let mode): self.init(replacement: expression, mode)
    case .define(let variables):
      self.init("Compute", "let") { row, evaluator in
        var result = row
        for variable in variables {
          let value = try evaluator.value(variable.expression, row)
          result.variables[variable.name] = .some(value)
        }
        return result
      }
    case .aggregate, .distinct, .sort, .offset, .limit, .findNearest, .sample, .union, .unnest,
      .delete:
      return nil
    }
  }

  private init(select changes: [Assignment]) {
    self.init("Compute", Self.text(changes)) { row, evaluator in
      var result = Row(MapValue(), variables: row.variables)
      for change in changes {
        try result.set(try evaluator.value(change.expression, row), at: change.path)
      }
      return result
    }
  }

  private init(_ name: String, adding changes: [Assignment]) {
    self.init(name, Self.text(changes)) { row, evaluator in
      var result = row
      for change in changes {
        try result.set(try evaluator.value(change.expression, row), at: change.path)
      }
      return result
    }
  }

  private init(replacement expression: Expression, _ mode: Stage.ReplaceMode) {
    self.init("Compute", "replace_with") { row, evaluator in
      guard case .map(let map)? = try evaluator.value(expression, row) else {
        throw ExpressionFailure("The value of the stage replace_with must be a map.")
      }
      return Self.replaced(row, map, mode)
    }
  }

  private static func text(_ changes: [Assignment]) -> String {
    changes.map(\.path.canonicalString).joined(separator: ", ")
  }

  private static func replaced(_ row: Row, _ map: MapValue, _ mode: Stage.ReplaceMode) -> Row {
    var fields = mode == .full ? MapValue() : row.fields
    for entry in map.entries where !pseudoFields.contains(entry.key.string) {
      if mode == .keeping, fields[entry.key] != nil { continue }
      fields[entry.key] = entry.value
    }
    var result = row
    result.replaceFields(fields)
    return result
  }

  private static let pseudoFields: Set<String> = ["__name__", "__create_time__", "__update_time__"]
}
