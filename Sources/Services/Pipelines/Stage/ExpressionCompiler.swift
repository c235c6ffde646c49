import BaseStatus
import BaseText
import FirestoreModel
import PipelineModel

/// Checks expressions: functions, their numbers of arguments, and that variables are defined.
struct ExpressionCompiler {
  /// Sub-pipelines inside sub-pipelines.
  static let maximumDepth = 20

  let database: DatabaseID
  /// The variables that are in scope.
  var variables: Set<String> = []
  /// The number of pipelines that this sub-pipeline is nested in.
  var depth = 0

  /// Checks an expression; INVALID_ARGUMENT where it is none.
  func compile(_ operand: PipelineOperand) throws(ServiceError) -> Expression {
    switch operand {
    case .constant(let value): return .constant(value)
    case .path(let text):
      let path = try path(text)
      guard path.isDocument else { throw .invalidArgument("\"\(text)\" is not a document.") }
      return .constant(.reference(DocumentName(database: database, path: path)))
    case .field(let path): return .field(path)
    case .variable(let name):
      guard variables.contains(name) else {
        throw .invalidArgument("Unknown variable \"\(name)\". Define it with a stage before.")
      }
      return .variable(name)
    case .array(let elements): return .array(try compile(elements))
    case .map(let entries):
      var fields: [Expression.Field] = []
      for entry in entries {
        fields.append(Expression.Field(key: entry.key, value: try compile(entry.value)))
      }
      return .map(fields)
    case .call(let call): return try compile(call)
    case .pipeline:
      throw .invalidArgument("A pipeline is only an argument of array, scalar and union.")
    }
  }

  /// Checks several expressions.
  func compile(_ operands: [PipelineOperand]) throws(ServiceError) -> [Expression] {
    var expressions: [Expression] = []
    for operand in operands { expressions.append(try compile(operand)) }
    return expressions
  }

  private func compile(_ call: PipelineCall) throws(ServiceError) -> Expression {
    let arguments = call.arguments
    if arguments.count == 1, case .pipeline(let stages) = arguments[0] {
      guard call.name == "array" || call.name == "scalar" else {
        throw .invalidArgument("The function \(call.name) doesn't take a pipeline.")
      }
      return .rows(try compile(pipeline: stages), isScalar: call.name == "scalar")
    }
    switch call.name {
    case "array_filter": return try filter(arguments)
    case "array_transform": return try transform(arguments)
    default: break
    }
    guard let function = FunctionTable.function(named: call.name) else {
      throw Self.unknown(call.name)
    }
    guard function.arity.contains(arguments.count) else {
      throw .invalidArgument(
        "The function \(call.name) takes \(Self.text(function.arity)), but got \(arguments.count)."
      )
    }
    return .call(function, try compile(arguments))
  }

  /// Checks a sub-pipeline, whose variables are those in scope here and its own.
  func compile(pipeline stages: [PipelineStage]) throws(ServiceError) -> StagePlan {
    guard depth < Self.maximumDepth else {
      throw .invalidArgument("Sub-pipelines are nested more than \(Self.maximumDepth) deep.")
    }
    var inner = self
    inner.depth += 1
    return try StageCompiler(inner).compile(stages, isNested: true)
  }

  private static func unknown(_ name: String) -> ServiceError {
    if ["document_matches", "score", "geo_distance", "matches", "snippet"].contains(name) {
      return ServiceError(
        .unimplemented,
        "Brasa does not support the function \(name) of the search stage."
      )
    }
    if AccumulatorKind(rawValue: name) != nil {
      return .invalidArgument("The function \(name) is only for the stage aggregate.")
    }
    return .invalidArgument("Unknown function \"\(name)\".")
  }

  private static func text(_ arity: ClosedRange<Int>) -> String {
    if arity.upperBound == FunctionDefinition.many {
      return "at least \(arity.lowerBound) arguments"
    }
    if arity.count == 1 { return "\(arity.lowerBound) arguments" }
    return "\(arity.lowerBound) to \(arity.upperBound) arguments"
  }

  private func filter(_ arguments: [PipelineOperand]) throws(ServiceError) -> Expression {
    guard arguments.count == 3 else {
      throw .invalidArgument("The function array_filter takes 3 arguments.")
    }
    let element = try Self.name(arguments[1], "array_filter")
    var inner = self
    inner.variables.insert(element)
    return .filter(
      array: try compile(arguments[0]),
      element: element,
      body: try inner.compile(arguments[2])
    )
  }

  private func transform(_ arguments: [PipelineOperand]) throws(ServiceError) -> Expression {
    guard (3...4).contains(arguments.count) else {
      throw .invalidArgument("The function array_transform takes 3 to 4 arguments.")
    }
    var inner = self
    let element = try Self.name(arguments[1], "array_transform")
    inner.variables.insert(element)
    var index: String?
    if arguments.count == 4 {
      let name = try Self.name(arguments[2], "array_transform")
      inner.variables.insert(name)
      index = name
    }
    return .transform(
      array: try compile(arguments[0]),
      element: element,
      index: index,
      body: try inner.compile(arguments[arguments.count - 1])
    )
  }

  private static func name(
    _ operand: PipelineOperand,
    _ function: String
  ) throws(ServiceError) -> String {
    guard case .constant(.string(let name)) = operand else {
      throw .invalidArgument("The function \(function) needs the name of a variable.")
    }
    return name.string
  }

  /// The path of a reference that is relative to the database's documents.
  func path(_ text: String) throws(ServiceError) -> ResourcePath {
    guard text.hasPrefix("/"), text != "/" else {
      throw .invalidArgument(
        "\"\(text)\" isn't a path. Begin it with a slash, as in /cities/lisbon."
      )
    }
    let isCollection = !text.utf8.filter { $0 == UInt8(ascii: "/") }.count.isMultiple(of: 2)
    let name = try DocumentName(
      parsing: "\(database.path)/documents\(text)\(isCollection ? "/x" : "")"
    )
    return isCollection ? name.path.parent : name.path
  }
}
