import BaseStatus
import BaseText
import FirestoreModel
import PipelineModel

/// Takes a stage's arguments apart; INVALID_ARGUMENT where they are of the wrong kind.
struct StageArguments {
  let stage: PipelineStage
  private let expressions: ExpressionCompiler

  init(_ stage: PipelineStage, _ expressions: ExpressionCompiler) {
    self.stage = stage
    self.expressions = expressions
  }

  /// Checks how many arguments there are, and which options.
  func check(_ counts: ClosedRange<Int>, options: Set<String> = []) throws(ServiceError) {
    guard counts.contains(stage.arguments.count) else {
      throw .invalidArgument(
        "The stage \(stage.name) got \(stage.arguments.count) arguments, which it doesn't take."
      )
    }
    if let unknown = stage.options.keys.sorted().first(where: { !options.contains($0) }) {
      throw .invalidArgument("The stage \(stage.name) has no option \"\(unknown)\".")
    }
  }

  func expression(_ index: Int) throws(ServiceError) -> Expression {
    try expressions.compile(stage.arguments[index])
  }

  func string(_ index: Int) throws(ServiceError) -> String {
    guard case .constant(.string(let text)) = stage.arguments[index] else {
      throw wrong(index, "a string")
    }
    return text.string
  }

  func path(_ index: Int) throws(ServiceError) -> String {
    guard case .path(let text) = stage.arguments[index] else {
      throw wrong(index, "a reference that begins with a slash")
    }
    return text
  }

  func count(_ index: Int) throws(ServiceError) -> Int {
    guard case .constant(.integer(let number)) = stage.arguments[index] else {
      throw wrong(index, "an integer")
    }
    guard number >= 0 else {
      throw .invalidArgument("The argument of the stage \(stage.name) must not be negative.")
    }
    return Int(clamping: number)
  }

  func field(_ index: Int) throws(ServiceError) -> FieldPath {
    guard case .field(let path) = stage.arguments[index] else { throw wrong(index, "a field") }
    return path
  }

  /// The entries of a map of aliases.
  func entries(_ index: Int) throws(ServiceError) -> [PipelineOperand.Entry] {
    switch stage.arguments[index] {
    case .map(let entries): return entries
    case .constant(.map(let map)):
      return map.entries.map { PipelineOperand.Entry(key: $0.key, value: .constant($0.value)) }
    default:
      throw .invalidArgument(
        "Expected fields to be MAP_VALUE, but was \(Self.kind(stage.arguments[index]))."
      )
    }
  }

  /// The entries of a map of aliases, each an expression and the field that it goes to.
  func assignments(_ index: Int) throws(ServiceError) -> [Assignment] {
    var result: [Assignment] = []
    for entry in try entries(index) {
      let path: FieldPath =
        switch entry.key.string {
        case "__create_time__": .createTime
        case "__update_time__": .updateTime
        case let text: try FieldPath(parsing: text)
        }
      result.append(Assignment(path: path, expression: try expressions.compile(entry.value)))
    }
    return result
  }

  func optionalString(_ option: String) throws(ServiceError) -> String? {
    guard let operand = stage.options[option] else { return nil }
    guard case .constant(.string(let text)) = operand else { throw wrongOption(option) }
    return text.string
  }

  private func optionalField(_ option: String) throws(ServiceError) -> FieldPath? {
    guard let operand = stage.options[option] else { return nil }
    guard case .field(let path) = operand else { throw wrongOption(option) }
    return path
  }

  private func optionalCount(_ option: String) throws(ServiceError) -> Int? {
    guard let operand = stage.options[option] else { return nil }
    guard case .constant(.integer(let number)) = operand, number >= 0 else {
      throw wrongOption(option)
    }
    return Int(clamping: number)
  }

  private func wrong(_ index: Int, _ wanted: String) -> ServiceError {
    .invalidArgument("Argument \(index + 1) of the stage \(stage.name) must be \(wanted).")
  }

  private func wrongOption(_ option: String) -> ServiceError {
    .invalidArgument(
      "The option \(option) of the stage \(stage.name) has a value of the wrong type."
    )
  }

  private static func kind(_ operand: PipelineOperand) -> String {
    switch operand {
    case .constant(let value):
      switch value {
      case .null: "NULL_VALUE"
      case .boolean: "BOOLEAN_VALUE"
      case .integer: "INTEGER_VALUE"
      case .double: "DOUBLE_VALUE"
      case .timestamp: "TIMESTAMP_VALUE"
      case .string: "STRING_VALUE"
      case .bytes: "BYTES_VALUE"
      case .reference: "REFERENCE_VALUE"
      case .geoPoint: "GEO_POINT_VALUE"
      case .array: "ARRAY_VALUE"
      case .map, .vector, .bson: "MAP_VALUE"
      }
    case .path: "REFERENCE_VALUE"
    case .array: "ARRAY_VALUE"
    case .map: "MAP_VALUE"
    case .field: "FIELD_REFERENCE_VALUE"
    case .variable: "VARIABLE_REFERENCE_VALUE"
    case .call: "FUNCTION_VALUE"
    case .pipeline: "PIPELINE_VALUE"
    }
  }
}

// Stages that neither change the scope of variables nor hold pipelines.

extension StageArguments {
  /// The stage; nil where it has another name.
  func rowStage() throws(ServiceError) -> Stage? {
    switch stage.name {
    case "sort": return .sort(try orders())
    case "offset":
      try check(1...1)
      return .offset(try count(0))
    case "limit":
      try check(1...1)
      return .limit(try count(0))
    case "find_nearest": return .findNearest(try nearest())
    case "replace_with":
      try check(1...2)
      let name = stage.arguments.count == 2 ? try string(1) : Stage.ReplaceMode.full.rawValue
      guard let mode = Stage.ReplaceMode(rawValue: name) else {
        throw .invalidArgument("Unknown mode \"\(name)\" of the stage replace_with.")
      }
      return .replaceWith(try expression(0), mode)
    case "sample": return .sample(try sample())
    case "unnest":
      try check(2...2, options: ["index_field"])
      return .unnest(
        try expression(0),
        alias: try field(1),
        index: try optionalField("index_field")
      )
    default: return nil
    }
  }

  private func orders() throws(ServiceError) -> [SortOrder] {
    try check(1...FunctionDefinition.many)
    var orders: [SortOrder] = []
    for index in stage.arguments.indices {
      let entries = try self.entries(index)
      guard let expression = entries.first(where: { $0.key == "expression" }),
        case .constant(.string(let direction))? = entries.first(where: { $0.key == "direction" })?
          .value, entries.count == 2,
        direction == "ascending" || direction == "descending"
      else { throw wrong(index, "an expression with a direction, ascending or descending") }
      orders.append(
        SortOrder(
          expression: try expressions.compile(expression.value),
          isDescending: direction == "descending"
        )
      )
    }
    return orders
  }

  private func sample() throws(ServiceError) -> Stage.SampleSize {
    try check(2...2)
    switch (try string(1), stage.arguments[0]) {
    case ("documents", _): return .rows(try count(0))
    case ("percent", .constant(.double(let part))) where (0...1).contains(part):
      return .fraction(part)
    case ("percent", .constant(.integer(let part))) where (0...1).contains(part):
      return .fraction(Double(part))
    default:
      throw .invalidArgument(
        "The stage sample needs a number of documents, or a percent between 0.0 and 1.0."
      )
    }
  }

  private func nearest() throws(ServiceError) -> NearestStage {
    try check(3...3, options: ["limit", "distance_field"])
    guard case .constant(.vector(let vector)) = stage.arguments[1], !vector.isEmpty else {
      throw wrong(1, "a vector")
    }
    guard vector.count <= Limits.vectorDimension else {
      throw .invalidArgument("Vectors must be at most \(Limits.vectorDimension) dimensions.")
    }
    let name = try string(2)
    guard let measure = NearestStage.Measure(rawValue: name) else {
      throw .invalidArgument(
        "Unknown distance \"\(name)\". Use euclidean, cosine or dot_product."
      )
    }
    return NearestStage(
      field: try expression(0),
      vector: vector,
      measure: measure,
      limit: try optionalCount("limit"),
      distanceField: try optionalField("distance_field")
    )
  }
}
