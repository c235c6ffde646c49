import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel
import PipelineModel

/// Reads the messages of pipelines: stages, functions and the values that only pipelines have.
enum PipelineMessage {
  /// Values inside values, sub-pipelines included; within any thread's stack.
  private static let maximumDepth = 120

  private enum Field {
    static let fieldReference = 19
    static let function = 20
    static let pipeline = 21
    static let variableReference = 22
  }

  /// Reads a `StructuredPipeline`.
  static func structured(
    _ content: UnsafeRawBufferPointer
  ) throws -> ([PipelineStage], [String: PipelineOperand]) {
    var stages: [PipelineStage]?
    var options: [String: PipelineOperand] = [:]
    var reader = ProtobufReader(content)
    while let field = try reader.nextField() {
      switch field {
      case 1: try stages.set(try pipeline(try reader.content(), depth: 0), once: "pipeline")
      case 2:
        let (key, value) = try entry(try reader.content(), depth: 0)
        options[key.string] = value
      default: try reader.skip()
      }
    }
    return (stages ?? [], options)
  }

  private static func pipeline(
    _ content: UnsafeRawBufferPointer,
    depth: Int
  ) throws -> [PipelineStage] {
    var stages: [PipelineStage] = []
    var reader = ProtobufReader(content)
    while let field = try reader.nextField() {
      guard field == 1 else {
        try reader.skip()
        continue
      }
      let parts = try named(try reader.content(), depth: depth)
      stages.append(
        PipelineStage(name: parts.name, arguments: parts.arguments, options: parts.options)
      )
    }
    return stages
  }

  /// Reads a `Stage` or a `Function`, which look alike.
  private static func named(
    _ content: UnsafeRawBufferPointer,
    depth: Int
  ) throws -> (name: String, arguments: [PipelineOperand], options: [String: PipelineOperand]) {
    var name = ""
    var arguments: [PipelineOperand] = []
    var options: [String: PipelineOperand] = [:]
    var reader = ProtobufReader(content)
    while let field = try reader.nextField() {
      switch field {
      case 1: name = try reader.string()
      case 2: arguments.append(try operand(try reader.content(), depth: depth + 1))
      case 3:
        let (key, value) = try entry(try reader.content(), depth: depth + 1)
        options[key.string] = value
      default: try reader.skip()
      }
    }
    return (name, arguments, options)
  }

  private static func entry(
    _ content: UnsafeRawBufferPointer,
    depth: Int
  ) throws -> (Text, PipelineOperand) {
    var key = Text("")
    var value: PipelineOperand?
    var reader = ProtobufReader(content)
    while let field = try reader.nextField() {
      switch field {
      case 1: key = try reader.text()
      case 2: try value.set(try operand(try reader.content(), depth: depth), once: "value")
      default: try reader.skip()
      }
    }
    guard let value else {
      throw ServiceError.invalidArgument("The value of property \"\(key.string)\" is not set.")
    }
    return (key, value)
  }

  /// Reads a `Value` with the members that only pipelines have.
  private static func operand(
    _ content: UnsafeRawBufferPointer,
    depth: Int
  ) throws -> PipelineOperand {
    guard depth <= maximumDepth else {
      throw ServiceError.invalidArgument(
        "The pipeline is nested too deeply. Nest expressions at most \(maximumDepth) levels deep."
      )
    }
    var found: PipelineOperand?
    var reader = ProtobufReader(content)
    while let field = try reader.nextField() {
      switch field {
      case Field.fieldReference: found = .field(try path(try reader.string()))
      case Field.variableReference: found = .variable(try reader.string())
      case Field.function:
        let parts = try named(try reader.content(), depth: depth)
        if let option = parts.options.keys.min() {
          throw ServiceError.invalidArgument(
            "The function \(parts.name) has no option \"\(option)\"."
          )
        }
        found = .call(PipelineCall(name: parts.name, arguments: parts.arguments))
      case Field.pipeline: found = .pipeline(try pipeline(try reader.content(), depth: depth))
      case ValueField.array: found = try array(try reader.content(), depth: depth + 1)
      case ValueField.map: found = try map(try reader.content(), depth: depth + 1)
      case ValueField.reference: found = try reference(try reader.string())
      case ValueField.null, ValueField.boolean, ValueField.integer, ValueField.double,
        ValueField.string, ValueField.bytes, ValueField.timestamp, ValueField.geoPoint:
        // Such a value has nothing else in it.
        return .constant(try DocumentCodec.operand(content))
      default: try reader.skip()
      }
    }
    guard let found else { throw ServiceError.invalidArgument("A value has no type set.") }
    return found
  }

  private static func path(_ text: String) throws -> FieldPath {
    switch text {
    case "__create_time__": .createTime
    case "__update_time__": .updateTime
    default: try FieldPath(parsing: text)
    }
  }

  private static func reference(_ text: String) throws -> PipelineOperand {
    if text.isEmpty || text.utf8.first == UInt8(ascii: "/") { return .path(text) }
    return .constant(.reference(try DocumentName(parsing: text)))
  }

  private static func array(
    _ content: UnsafeRawBufferPointer,
    depth: Int
  ) throws -> PipelineOperand {
    var elements: [PipelineOperand] = []
    var reader = ProtobufReader(content)
    while let field = try reader.nextField() {
      guard field == 1 else {
        try reader.skip()
        continue
      }
      elements.append(try operand(try reader.content(), depth: depth))
    }
    let constants = elements.compactMap(\.constantValue)
    return constants.count == elements.count ? .constant(.array(constants)) : .array(elements)
  }

  private static func map(
    _ content: UnsafeRawBufferPointer,
    depth: Int
  ) throws -> PipelineOperand {
    var entries: [Text: PipelineOperand] = [:]
    var reader = ProtobufReader(content)
    while let field = try reader.nextField() {
      guard field == 1 else {
        try reader.skip()
        continue
      }
      let (key, value) = try entry(try reader.content(), depth: depth)
      entries[key] = value
    }
    let sorted = entries.sorted { $0.key < $1.key }
    let constants = sorted.compactMap { entry in
      entry.value.constantValue.map { MapValue.Entry(key: entry.key, value: $0) }
    }
    guard constants.count == sorted.count else {
      return .map(sorted.map { PipelineOperand.Entry(key: $0.key, value: $0.value) })
    }
    let map = MapValue(constants)
    if let value = try BSONValue.value(of: map) { return .constant(value) }
    return .constant(vector(constants) ?? .map(map))
  }

  /// The vector that a map stands for.
  private static func vector(_ entries: [MapValue.Entry]) -> Value? {
    guard entries.count == 2, entries[0].key == "__type__",
      entries[0].value == .string("__vector__"), entries[1].key == "value",
      case .array(let elements) = entries[1].value
    else { return nil }
    var numbers: [Double] = []
    for element in elements {
      guard case .double(let number) = element else { return nil }
      numbers.append(number)
    }
    return .vector(numbers)
  }
}

extension PipelineOperand {
  fileprivate var constantValue: Value? {
    if case .constant(let value) = self { value } else { nil }
  }
}
