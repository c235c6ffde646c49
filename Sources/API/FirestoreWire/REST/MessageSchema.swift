import BaseText

internal import SwiftProtobuf

/// The form of a message in JSON: its fields by either spelling of their names.
struct MessageSchema: Sendable {
  /// The type of a field.
  enum Kind: Sendable {
    case bool
    case int32
    case int64
    case double
    case string
    case bytes
    case enumeration(String)
    case message(String)
  }

  /// One field.
  struct Field: Sendable {
    /// The name in the protocol, which errors show.
    let name: String
    /// The name in JSON.
    let jsonName: String
    let number: Int
    let kind: Kind
    let isRepeated: Bool
    /// True if the field is a map; `kind` is then the entry's message.
    let isMap: Bool
    /// The oneof that it is a member of.
    let oneof: String?
  }

  /// Without the leading dot.
  let name: String
  private let fields: [String: Field]
  private let fieldsByNumber: [Int: Field]

  fileprivate init(name: String, fields: [Field]) {
    self.name = name
    var byName: [String: Field] = [:]
    for field in fields {
      byName[field.name] = field
      byName[field.jsonName] = field
    }
    self.fields = byName
    fieldsByNumber = Dictionary(uniqueKeysWithValues: fields.map { ($0.number, $0) })
  }

  /// Looks a field up by the name that JSON uses or the protocol's own.
  subscript(name: String) -> Field? { fields[name] }

  /// Looks a field up by its number.
  subscript(number number: Int) -> Field? { fieldsByNumber[number] }
}

/// All messages and enums of `Protos/`, from their embedded descriptors.
struct SchemaRegistry: Sendable {
  /// Built once, immutable.
  static let shared = SchemaRegistry()

  private let messages: [String: MessageSchema]
  private let enumerations: [String: Enumeration]

  private init() {
    guard let bytes = Base64.decode(EmbeddedDescriptors.base64.utf8),
      let set = try? Google_Protobuf_FileDescriptorSet(serializedBytes: bytes)
    else { preconditionFailure("the embedded descriptors are damaged") }
    var builder = SchemaBuilder()
    for file in set.file { builder.add(file) }
    messages = builder.messages
    enumerations = builder.enumerations
  }

  /// The message of that full name; it must be one of ours.
  func message(_ name: String) -> MessageSchema {
    guard let schema = messages[name] else { preconditionFailure("no message \(name)") }
    return schema
  }

  /// The number of an enum's value; nil where it has no such name.
  func number(of value: String, in enumeration: String) -> Int32? {
    enumerations[enumeration]?.numbers[value]
  }

  /// The name of an enum's value; nil where it has no such number.
  func name(of number: Int32, in enumeration: String) -> String? {
    enumerations[enumeration]?.names[number]
  }

  /// Returns true if the message is one of ours.
  func hasMessage(_ name: String) -> Bool { messages[name] != nil }
}

private struct Enumeration: Sendable {
  let numbers: [String: Int32]
  let names: [Int32: String]
}

private struct SchemaBuilder {
  var messages: [String: MessageSchema] = [:]
  var enumerations: [String: Enumeration] = [:]

  mutating func add(_ file: Google_Protobuf_FileDescriptorProto) {
    for type in file.enumType { add(type, in: file.package) }
    for type in file.messageType { add(type, in: file.package) }
  }

  private mutating func add(_ type: Google_Protobuf_EnumDescriptorProto, in scope: String) {
    enumerations["\(scope).\(type.name)"] = Enumeration(
      numbers: Dictionary(uniqueKeysWithValues: type.value.map { ($0.name, $0.number) }),
      names: Dictionary(uniqueKeysWithValues: type.value.map { ($0.number, $0.name) })
    )
  }

  private mutating func add(_ type: Google_Protobuf_DescriptorProto, in scope: String) {
    let name = "\(scope).\(type.name)"
    for inner in type.enumType { add(inner, in: name) }
    for inner in type.nestedType { add(inner, in: name) }
    let entries = type.nestedType.filter(\.options.mapEntry).map { "\(name).\($0.name)" }
    let fields = type.field.compactMap { field in
      Self.field(field, oneofs: type.oneofDecl.map(\.name), mapEntries: entries)
    }
    messages[name] = MessageSchema(name: name, fields: fields)
  }

  private static func field(
    _ field: Google_Protobuf_FieldDescriptorProto,
    oneofs: [String],
    mapEntries: [String]
  ) -> MessageSchema.Field? {
    guard let kind = kind(of: field) else { return nil }
    let typeName = String(field.typeName.dropFirst())
    return MessageSchema.Field(
      name: field.name,
      jsonName: field.jsonName,
      number: Int(field.number),
      kind: kind,
      isRepeated: field.label == .repeated,
      isMap: mapEntries.contains(typeName),
      oneof: field.hasOneofIndex ? oneofs[Int(field.oneofIndex)] : nil
    )
  }

  /// The kinds that our messages have.
  private static func kind(
    of field: Google_Protobuf_FieldDescriptorProto
  ) -> MessageSchema.Kind? {
    let typeName = String(field.typeName.dropFirst())
    return switch field.type {
    case .bool: .bool
    case .int32: .int32
    case .int64: .int64
    case .double: .double
    case .string: .string
    case .bytes: .bytes
    case .enum: .enumeration(typeName)
    case .message: .message(typeName)
    default: nil
    }
  }
}
