import BaseStatus
import DocumentCodec
import FirestoreModel

/// Reads `google.firestore.v1.Write`.
///
/// The oneof `operation` must have a member that is known here: a write whose operation is of a
/// later protocol must not pass for one that does nothing.
enum WriteMessage {
  private enum Operation {
    case update(DocumentMessage)
    case delete(DocumentName)
    case verify(DocumentName)
    case transform(DocumentName, [FieldTransform])

    var name: StaticString {
      switch self {
      case .update: "update"
      case .delete: "delete"
      case .verify: "verify"
      case .transform: "transform"
      }
    }
  }

  /// Reads a write to its end.
  static func read(_ reader: inout ProtobufReader) throws -> Write {
    var operation: Operation?
    var mask: [FieldPath]?
    var transforms: [FieldTransform] = []
    var precondition: Precondition?
    while let field = try reader.nextField() {
      switch field {
      case 1:
        let document = try DocumentMessage(try reader.content())
        try operation.set(.update(document), once: "operation")
      case 2: try operation.set(.delete(try reader.documentName()), once: "operation")
      case 3: try mask.set(try reader.updateMask(), once: "update_mask")
      case 4:
        let message = try reader.submessage(PreconditionMessage.read)
        if let message { try precondition.set(message, once: "current_document") }
      case 5: try operation.set(.verify(try reader.documentName()), once: "operation")
      case 6: try operation.set(try reader.submessage(legacyTransform), once: "operation")
      case 7: transforms.append(try reader.submessage(FieldTransformMessage.read))
      default: try reader.skip()
      }
    }
    guard let operation else {
      throw ServiceError.invalidArgument("The operation of a write is not set or not known.")
    }
    return try write(operation, mask, transforms, precondition)
  }

  private static func write(
    _ operation: Operation,
    _ mask: [FieldPath]?,
    _ transforms: [FieldTransform],
    _ precondition: Precondition?
  ) throws -> Write {
    if case .update(let document) = operation {
      return try document.write(mask: mask, transforms: transforms, precondition: precondition)
    }
    if mask != nil || !transforms.isEmpty {
      throw ServiceError.invalidArgument(
        "A write's \"\(mask == nil ? "update_transforms" : "update_mask")\" needs its operation to "
          + "be \"update\", but it is \"\(operation.name)\"."
      )
    }
    switch operation {
    case .delete(let name): return Write(name: name, operation: .delete, precondition: precondition)
    case .verify(let name): return Write(name: name, operation: .verify, precondition: precondition)
    case .transform(let name, let own):
      return Write(name: name, operation: .transform, transforms: own, precondition: precondition)
    case .update: preconditionFailure("updates are built above")
    }
  }

  private static func legacyTransform(_ reader: inout ProtobufReader) throws -> Operation {
    var name: DocumentName?
    var transforms: [FieldTransform] = []
    while let field = try reader.nextField() {
      switch field {
      case 1: name = try reader.documentName()
      case 2: transforms.append(try reader.submessage(FieldTransformMessage.read))
      default: try reader.skip()
      }
    }
    return .transform(try name ?? DocumentName(parsing: ""), transforms)
  }
}

/// Reads `google.firestore.v1.Precondition`.
enum PreconditionMessage {
  /// Reads to the end; nil when no condition is set.
  static func read(_ reader: inout ProtobufReader) throws -> Precondition? {
    var precondition: Precondition?
    while let field = try reader.nextField() {
      switch field {
      case 1: try precondition.set(.exists(try reader.bool()), once: "condition_type")
      case 2:
        let time = CommitVersion(microseconds: try reader.timestamp().microseconds)
        try precondition.set(.updateTime(time), once: "condition_type")
      default: try reader.skip()
      }
    }
    return precondition
  }
}

/// Reads `google.firestore.v1.DocumentTransform.FieldTransform`.
enum FieldTransformMessage {
  private static let requestTime: Int32 = 1

  /// Reads to the end.
  static func read(_ reader: inout ProtobufReader) throws -> FieldTransform {
    var path = ""
    var operation: FieldTransform.Operation?
    while let field = try reader.nextField() {
      switch field {
      case 1: path = try reader.string()
      case 2...7:
        let member = try Self.operation(field, &reader)
        try operation.set(member, once: "transform_type")
      default: try reader.skip()
      }
    }
    let field = try FieldPath(parsing: path)
    if field.isDocumentName {
      throw ServiceError.invalidArgument("Invalid reserved name in field path __name__")
    }
    guard let operation else {
      throw ServiceError.invalidArgument(
        "The transform of field \"\(path)\" is not set or not known."
      )
    }
    return FieldTransform(field: field, operation: operation)
  }

  private static func operation(
    _ field: Int,
    _ reader: inout ProtobufReader
  ) throws -> FieldTransform.Operation {
    switch field {
    case 2:
      guard try reader.int32() == requestTime else {
        throw ServiceError.invalidArgument("Unknown or unset server value of a transform.")
      }
      return .serverTimestamp
    case 3: return .increment(try numericOperand(&reader))
    case 4: return .maximum(try numericOperand(&reader))
    case 5: return .minimum(try numericOperand(&reader))
    case 6: return .appendMissingElements(try reader.submessage(elements))
    default: return .removeAllFromArray(try reader.submessage(elements))
    }
  }

  private static func numericOperand(_ reader: inout ProtobufReader) throws -> Value {
    let value = try reader.value()
    switch value {
    case .integer, .double: return value
    default: throw ServiceError.invalidArgument("Input must be int64 or double.")
    }
  }

  private static func elements(_ reader: inout ProtobufReader) throws -> [Value] {
    var elements: [Value] = []
    while let field = try reader.nextField() {
      guard field == 1 else {
        try reader.skip()
        continue
      }
      let element = try reader.value()
      try DocumentCodec.checkStorable(element, inArray: true)
      elements.append(element)
    }
    return elements
  }
}
