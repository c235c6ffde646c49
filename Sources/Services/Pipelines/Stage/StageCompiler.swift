import BaseStatus
import BaseText
import FirestoreModel
import PipelineModel

/// Checks a pipeline's stages in their order.
struct StageCompiler {
  private var expressions: ExpressionCompiler
  /// The variables of the pipelines around this one.
  private let outer: Set<String>

  init(_ expressions: ExpressionCompiler) {
    self.expressions = expressions
    outer = expressions.variables
  }

  /// Checks a pipeline; INVALID_ARGUMENT where it is none, UNIMPLEMENTED where it asks for a search.
  mutating func compiled(
    _ stages: [PipelineStage],
    isNested: Bool
  ) throws(ServiceError) -> StagePlan {
    guard let first = stages.first else {
      throw .invalidArgument(
        "The pipeline has no stages. Begin it with an input such as collection."
      )
    }
    let input = try input(first, isNested: isNested)
    var compiled: [Stage] = []
    for (index, stage) in stages.enumerated().dropFirst() {
      let next = try self.stage(StageArguments(stage, expressions))
      if next.isWriting {
        try checkWriting(
          next,
          input,
          compiled,
          isLast: index == stages.count - 1,
          isNested: isNested
        )
      }
      compiled.append(next)
    }
    let index = try ForcedIndex(StageArguments(first, expressions))
    return StagePlan(input: input, stages: compiled, index: index)
  }

  /// The same for a compiler that is not used again.
  func compile(_ stages: [PipelineStage], isNested: Bool) throws(ServiceError) -> StagePlan {
    var compiler = self
    return try compiler.compiled(stages, isNested: isNested)
  }

  private func input(
    _ stage: PipelineStage,
    isNested: Bool
  ) throws(ServiceError) -> InputStage {
    let arguments = StageArguments(stage, expressions)
    switch stage.name {
    case "collection":
      try arguments.check(1...1, options: ["force_index"])
      let path = try expressions.path(try arguments.path(0))
      guard path.isCollection else {
        throw .invalidArgument("\"/\(path.string)\" is not a collection.")
      }
      return .collection(path)
    case "collection_group":
      try arguments.check(2...2, options: ["force_index"])
      let id = Text(try arguments.string(1))
      try ResourceID.checkCollection(id)
      return .collectionGroup(id)
    case "database":
      try arguments.check(0...0)
      return .database
    case "documents": return .documents(try documents(arguments))
    case "literals":
      try arguments.check(1...FunctionDefinition.many)
      return .literals(try expressions.compile(stage.arguments))
    case "subcollection":
      try arguments.check(1...1)
      guard isNested else {
        throw .invalidArgument(
          "The stage subcollection is only allowed at the start of a nested pipeline."
        )
      }
      let parts = try arguments.string(0).split(separator: "/", omittingEmptySubsequences: false)
      guard !parts.contains(where: \.isEmpty), !parts.count.isMultiple(of: 2) else {
        throw .invalidArgument("The stage subcollection needs the path of a collection.")
      }
      _ = try expressions.path("/x/y/" + arguments.string(0))
      return .subcollection(parts.map { Text(String($0)) })
    default:
      guard Self.names.contains(stage.name) else { throw Self.unknown(stage.name) }
      throw .invalidArgument(
        "A pipeline begins with an input such as collection, not with \(stage.name)."
      )
    }
  }

  private func documents(_ arguments: StageArguments) throws(ServiceError) -> [ResourcePath] {
    try arguments.check(1...FunctionDefinition.many)
    var paths: [ResourcePath] = []
    var seen: Set<ResourcePath> = []
    for index in arguments.stage.arguments.indices {
      let path = try expressions.path(try arguments.path(index))
      guard path.isDocument else {
        throw .invalidArgument("\"/\(path.string)\" is not a document.")
      }
      guard seen.insert(path).inserted else {
        throw .invalidArgument("The stage documents names \"/\(path.string)\" twice.")
      }
      paths.append(path)
    }
    return paths
  }

  private static let inputs: Set<String> = [
    "collection", "collection_group", "database", "documents", "literals", "subcollection",
  ]
  private static let names: Set<String> = [
    "where", "select", "add_fields", "remove_fields", "aggregate", "distinct", "sort", "offset",
    "limit", "find_nearest", "replace_with", "sample", "union", "unnest", "let", "update", "delete",
    "search", "restrict",
  ]

  private static func unknown(_ name: String) -> ServiceError {
    if name == "search" {
      return ServiceError(.unimplemented, "Brasa does not support the stage search.")
    }
    if inputs.contains(name) {
      return .invalidArgument("The stage \(name) must be the first of a pipeline.")
    }
    return .invalidArgument("Unknown stage \"\(name)\".")
  }

  private mutating func stage(_ arguments: StageArguments) throws(ServiceError) -> Stage {
    switch arguments.stage.name {
    case "where", "restrict":
      try arguments.check(1...1)
      return .filter(try arguments.expression(0))
    case "select":
      try arguments.check(1...1)
      return .select(try arguments.assignments(0))
    case "add_fields":
      try arguments.check(1...1)
      return .addFields(try arguments.assignments(0))
    case "remove_fields":
      try arguments.check(1...FunctionDefinition.many)
      var paths: [FieldPath] = []
      for index in arguments.stage.arguments.indices { paths.append(try arguments.field(index)) }
      return .removeFields(paths)
    case "aggregate": return try aggregate(arguments)
    case "distinct":
      try arguments.check(1...1)
      let groups = try arguments.assignments(0)
      expressions.variables = outer
      return .distinct(groups)
    case "let": return try define(arguments)
    case "union":
      try arguments.check(1...1)
      return .union(try union(arguments))
    case "update", "delete": return try writing(arguments)
    default:
      guard let stage = try arguments.rowStage() else { throw Self.unknown(arguments.stage.name) }
      return stage
    }
  }

  private func union(_ arguments: StageArguments) throws(ServiceError) -> StagePlan {
    guard case .pipeline(let stages) = arguments.stage.arguments[0] else {
      throw .invalidArgument("The stage union needs a pipeline.")
    }
    guard expressions.depth < ExpressionCompiler.maximumDepth else {
      throw .invalidArgument(
        "Pipelines are nested more than \(ExpressionCompiler.maximumDepth) deep."
      )
    }
    var inner = expressions
    inner.depth += 1
    inner.variables = outer
    return try StageCompiler(inner).compile(stages, isNested: false)
  }

  private mutating func define(_ arguments: StageArguments) throws(ServiceError) -> Stage {
    try arguments.check(1...1)
    var variables: [Stage.Variable] = []
    for entry in try arguments.entries(0) {
      variables.append(
        Stage.Variable(
          name: entry.key.string,
          expression: try expressions.compile(entry.value)
        )
      )
    }
    for variable in variables { expressions.variables.insert(variable.name) }
    return .define(variables)
  }

  private mutating func aggregate(_ arguments: StageArguments) throws(ServiceError) -> Stage {
    try arguments.check(1...2)
    var calls: [AccumulatorCall] = []
    for entry in try arguments.entries(0) {
      calls.append(try accumulator(entry))
    }
    guard !calls.isEmpty else {
      throw .invalidArgument("The stage aggregate requires at least one accumulator.")
    }
    let groups = arguments.stage.arguments.count == 2 ? try arguments.assignments(1) : []
    expressions.variables = outer
    return .aggregate(calls, groups: groups)
  }

  private func accumulator(
    _ entry: PipelineOperand.Entry
  ) throws(ServiceError) -> AccumulatorCall {
    guard case .call(let call) = entry.value, let kind = AccumulatorKind(rawValue: call.name) else {
      throw .invalidArgument(
        "\"\(entry.key.string)\" of the stage aggregate is not an accumulator such as count or sum."
      )
    }
    let needed = kind == .count ? 0...1 : 1...1
    guard needed.contains(call.arguments.count) else {
      throw .invalidArgument("The accumulator \(call.name) takes one argument.")
    }
    return AccumulatorCall(
      kind: kind,
      expression: try call.arguments.first.map { operand throws(ServiceError) in
        try expressions.compile(operand)
      },
      path: try FieldPath(parsing: entry.key.string)
    )
  }

  private func writing(_ arguments: StageArguments) throws(ServiceError) -> Stage {
    if arguments.stage.name == "delete" {
      try arguments.check(0...0)
      return .delete
    }
    try arguments.check(0...1)
    return .update(arguments.stage.arguments.isEmpty ? [] : try arguments.assignments(0))
  }

  private func checkWriting(
    _ stage: Stage,
    _ input: InputStage,
    _ before: [Stage],
    isLast: Bool,
    isNested: Bool
  ) throws(ServiceError) {
    guard isLast, !isNested, expressions.depth == 0 else {
      throw .invalidArgument("A stage that writes must be the last one of the whole pipeline.")
    }
    if case .literals = input {
      throw .invalidArgument("A stage that writes needs documents as the pipeline's input.")
    }
    for stage in before + [stage] {
      guard stage.expressions.allSatisfy(\.allSubPipelines.isEmpty) else {
        throw .invalidArgument("A pipeline that writes can't have sub-pipelines.")
      }
    }
    for stage in before {
      switch stage {
      case .filter, .select, .addFields, .removeFields, .define, .sort, .limit, .offset: continue
      default:
        throw .invalidArgument(
          "Before a stage that writes only where, select, add_fields, remove_fields, let, sort, "
            + "limit and offset are allowed."
        )
      }
    }
  }
}
