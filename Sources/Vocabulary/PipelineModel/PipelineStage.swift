import FirestoreModel

/// A stage of a pipeline as the client sent it: a name with its arguments and options, nothing of it checked.
package struct PipelineStage: Sendable, Hashable {
  /// The stage's name, such as `where`.
  package let name: String
  /// The arguments in their order.
  package let arguments: [PipelineOperand]
  /// The options by name.
  package let options: [String: PipelineOperand]

  /// A stage of these parts.
  package init(
    name: String,
    arguments: [PipelineOperand] = [],
    options: [String: PipelineOperand] = [:]
  ) {
    self.name = name
    self.arguments = arguments
    self.options = options
  }
}

/// A call of a function as the client sent it.
package struct PipelineCall: Sendable, Hashable {
  /// The function's name, such as `equal`.
  package let name: String
  /// The arguments in their order.
  package let arguments: [PipelineOperand]

  /// A call of that function.
  package init(name: String, arguments: [PipelineOperand]) {
    self.name = name
    self.arguments = arguments
  }
}

extension PipelineStage {
  /// This stage and those of the pipelines inside it.
  package var stageCount: Int {
    arguments.reduce(1) { $0 + $1.stageCount } + options.values.reduce(0) { $0 + $1.stageCount }
  }
}

extension PipelineOperand {
  fileprivate var stageCount: Int {
    switch self {
    case .constant, .path, .field, .variable: 0
    case .array(let elements): elements.reduce(0) { $0 + $1.stageCount }
    case .map(let entries): entries.reduce(0) { $0 + $1.value.stageCount }
    case .call(let call): call.arguments.reduce(0) { $0 + $1.stageCount }
    case .pipeline(let stages): stages.reduce(0) { $0 + $1.stageCount }
    }
  }
}
