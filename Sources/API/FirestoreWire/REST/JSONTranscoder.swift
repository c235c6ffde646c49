import BaseJSON
import BaseStatus
import BaseText
import DocumentCodec

/// Turns proto3 JSON into the bytes of a message, strictly: unknown names, values that do not fit
/// and two members of one oneof are refused with Google's words and the path in the message.
///
/// Paths are written with the protocol's names, list and map elements by their index:
/// `document.fields[0].value`.
struct JSONTranscoder {
  private let registry = SchemaRegistry.shared

  /// Encodes an object as that message; `path` names it in errors, empty at the root.
  func encode(
    _ json: JSONValue,
    as message: String,
    path: String = ""
  ) throws(ServiceError) -> [UInt8] {
    var writer = ProtobufWriter()
    try encode(json, as: message, path: path, into: &writer)
    return writer.bytes
  }

  private func encode(
    _ json: JSONValue,
    as type: String,
    path: String,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    if let known = WellKnownJSON(type) {
      guard known.encode(json, into: &writer) else { throw .invalidValue(json, path, type: type) }
      return
    }
    guard case .object(let members) = json else { throw .invalidValue(json, path, type: type) }
    let schema = registry.message(type)
    var seen: Set<Int> = []
    var oneofs: Set<String> = []
    for member in members {
      guard let field = schema[member.key] else { throw .unknownName(member.key, at: path) }
      if member.value == .null, !field.takesNull { continue }
      if let oneof = field.oneof, !oneofs.insert(oneof).inserted {
        throw .oneofAlreadySet(oneof, member: member.key, at: path)
      }
      guard seen.insert(field.number).inserted else {
        throw .duplicateName(member.key, at: path)
      }
      let inner = path.isEmpty ? field.name : "\(path).\(field.name)"
      try encode(member.value, field, path: inner, into: &writer)
    }
  }

  private func encode(
    _ json: JSONValue,
    _ field: MessageSchema.Field,
    path: String,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    if field.isMap {
      guard case .object(let members) = json else { throw .invalidValue(json, path, type: "Map") }
      for (index, member) in members.enumerated() {
        try encodeEntry(member, field, path: "\(path)[\(index)].value", into: &writer)
      }
    } else if field.isRepeated {
      guard case .array(let elements) = json else { throw .invalidValue(json, path, type: "List") }
      for (index, element) in elements.enumerated() {
        try encodeOne(element, field, path: "\(path)[\(index)]", hasPresence: true, into: &writer)
      }
    } else {
      let hasPresence = field.oneof != nil
      try encodeOne(json, field, path: path, hasPresence: hasPresence, into: &writer)
    }
  }

  private func encodeEntry(
    _ member: JSONValue.Member,
    _ field: MessageSchema.Field,
    path: String,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    guard case .message(let entry) = field.kind, let value = registry.message(entry)["value"]
    else { preconditionFailure("map entries are messages with a value") }
    try writer.message(field.number) { message throws(ServiceError) in
      message.string(1, member.key)
      try encodeOne(member.value, value, path: path, hasPresence: true, into: &message)
    }
  }

  private func encodeOne(
    _ json: JSONValue,
    _ field: MessageSchema.Field,
    path: String,
    hasPresence: Bool,
    into writer: inout ProtobufWriter
  ) throws(ServiceError) {
    if case .message(let type) = field.kind {
      try writer.message(field.number) { message throws(ServiceError) in
        try encode(json, as: type, path: path, into: &message)
      }
      return
    }
    guard let scalar = scalar(json, field.kind) else {
      throw .invalidValue(json, path, kind: field.kind)
    }
    if hasPresence || !scalar.isDefault { scalar.write(field.number, to: &writer) }
  }

  private func scalar(_ json: JSONValue, _ kind: MessageSchema.Kind) -> JSONScalar? {
    switch kind {
    case .bool: if case .boolean(let flag) = json { .bool(flag) } else { nil }
    case .int32: JSONScalar.integer(json, within: Int64(Int32.min)...Int64(Int32.max))
    case .int64: JSONScalar.integer(json, within: Int64.min...Int64.max)
    case .double: JSONScalar.double(json)
    case .string: if case .string(let text) = json { .string(text) } else { nil }
    case .bytes:
      if case .string(let text) = json {
        Base64.decode(text.utf8).map(JSONScalar.bytes)
      } else {
        nil
      }
    case .enumeration(let name): enumeration(json, name)
    case .message: nil
    }
  }

  private func enumeration(_ json: JSONValue, _ name: String) -> JSONScalar? {
    switch json {
    case .null: name == WellKnownJSON.nullValue ? .integer(0) : nil
    case .string(let value):
      if name == WellKnownJSON.nullValue {
        value == "NULL_VALUE" ? .integer(0) : nil
      } else {
        registry.number(of: value, in: name).map { .integer(Int64($0)) }
      }
    case .number: JSONScalar.integer(json, within: Int64(Int32.min)...Int64(Int32.max))
    default: nil
    }
  }
}

extension MessageSchema.Field {
  /// True if null is a value of the field and not its absence.
  fileprivate var takesNull: Bool {
    switch kind {
    case .enumeration(let name): name == WellKnownJSON.nullValue
    case .message(let name): name == WellKnownJSON.value
    default: false
    }
  }
}

extension ServiceError {
  fileprivate static func unknownName(_ name: String, at path: String) -> ServiceError {
    badRequest(
      "Invalid JSON payload received. Unknown name \"\(name)\"\(at(path)): Cannot find field.",
      field: path
    )
  }

  fileprivate static func duplicateName(_ name: String, at path: String) -> ServiceError {
    badRequest(
      "Invalid JSON payload received. Name \"\(name)\"\(at(path)) is set more than once.",
      field: path
    )
  }

  fileprivate static func oneofAlreadySet(
    _ oneof: String,
    member: String,
    at path: String
  ) -> ServiceError {
    badRequest(
      "Invalid value\(at(path)) (oneof), oneof field '\(oneof)' is already set. "
        + "Cannot set '\(member)'",
      field: path
    )
  }

  fileprivate static func invalidValue(
    _ json: JSONValue,
    _ path: String,
    type: String
  ) -> ServiceError {
    badRequest(
      "Invalid value\(at(path)) (type.googleapis.com/\(type)), \(json.excerpt)",
      field: path
    )
  }

  fileprivate static func invalidValue(
    _ json: JSONValue,
    _ path: String,
    kind: MessageSchema.Kind
  ) -> ServiceError {
    switch kind {
    case .enumeration(let type), .message(let type):
      return invalidValue(json, path, type: type)
    case .bool: return invalidScalar(json, path, "TYPE_BOOL")
    case .int32: return invalidScalar(json, path, "TYPE_INT32")
    case .int64: return invalidScalar(json, path, "TYPE_INT64")
    case .double: return invalidScalar(json, path, "TYPE_DOUBLE")
    case .string: return invalidScalar(json, path, "TYPE_STRING")
    case .bytes: return invalidScalar(json, path, "TYPE_BYTES")
    }
  }

  private static func invalidScalar(
    _ json: JSONValue,
    _ path: String,
    _ type: String
  ) -> ServiceError {
    badRequest("Invalid value\(at(path)) (\(type)), \(json.excerpt)", field: path)
  }

  /// INVALID_ARGUMENT that names the field at fault in a BadRequest detail.
  static func badRequest(_ message: String, field: String) -> ServiceError {
    let violation = FieldViolation(field: field, description: message)
    return ServiceError(.invalidArgument, message, violations: [violation])
  }

  private static func at(_ path: String) -> String { path.isEmpty ? "" : " at '\(path)'" }
}
