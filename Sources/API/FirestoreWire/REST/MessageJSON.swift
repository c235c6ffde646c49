import BaseJSON
import BaseStatus
import BaseText
import DocumentCodec

/// Writes a message's bytes as proto3 JSON, field by field as they come.
///
/// Map entries keep their order and every key its bytes; keys that Swift's `String` would equate
/// stay apart. A missing member of a message has its default and is omitted here, too.
struct MessageJSON {
  private let registry = SchemaRegistry.shared
  /// True where documents show that they have no fields: clients drop rows of pipelines without the member.
  private let showsEmptyDocuments: Bool

  private init(_ message: String) {
    showsEmptyDocuments = message == "google.firestore.v1.ExecutePipelineResponse"
  }

  /// The text of a message; bytes that are no such message are our fault, INTERNAL.
  static func text(of message: String, bytes: [UInt8]) throws(ServiceError) -> [UInt8] {
    do {
      var writer = JSONWriter(capacity: bytes.count * 2)
      try bytes.withUnsafeBytes { try MessageJSON(message).write($0, message, to: &writer) }
      return writer.text
    } catch {
      throw ServiceError(.internalError, "The response cannot be written as JSON.", cause: error)
    }
  }

  /// A field's occurrences, in the order in which the first came.
  private struct Occurrences {
    let field: MessageSchema.Field
    var values: [RawField]
  }

  /// The content of a field on the wire.
  private enum RawField {
    case number(UInt64)
    case content(UnsafeRawBufferPointer)
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer,
    _ type: String,
    to writer: inout JSONWriter
  ) throws {
    if try WellKnownJSON.write(
      bytes,
      type,
      to: &writer,
      any: { bytes, type, writer in
        try writeFields(bytes, registry.message(type), to: &writer)
      }
    ) {
      return
    }
    try writer.object { writer in
      try writeFields(bytes, registry.message(type), to: &writer)
      if showsEmptyDocuments, type == "google.firestore.v1.Document", try !hasFields(bytes) {
        writer.name("fields")
        writer.object { _ in }
      }
    }
  }

  private func hasFields(_ document: UnsafeRawBufferPointer) throws -> Bool {
    var reader = ProtobufReader(document)
    while let number = try reader.nextField() {
      if number == 2 { return true }
      try reader.skip()
    }
    return false
  }

  private func writeFields(
    _ bytes: UnsafeRawBufferPointer,
    _ schema: MessageSchema,
    to writer: inout JSONWriter
  ) throws {
    for occurrences in try occurrences(in: bytes, schema) {
      writer.name(occurrences.field.jsonName)
      if occurrences.field.isMap {
        try writer.object { writer in
          for value in occurrences.values { try writeEntry(value, occurrences.field, &writer) }
        }
      } else if occurrences.field.isRepeated {
        try writer.array { writer in
          for value in occurrences.values {
            writer.element()
            try write(value, occurrences.field.kind, to: &writer)
          }
        }
      } else if let last = occurrences.values.last {
        try write(last, occurrences.field.kind, to: &writer)
      }
    }
  }

  private func occurrences(
    in bytes: UnsafeRawBufferPointer,
    _ schema: MessageSchema
  ) throws -> [Occurrences] {
    var found: [Occurrences] = []
    var reader = ProtobufReader(bytes)
    while let number = try reader.nextField() {
      guard let field = schema[number: number] else {
        try reader.skip()
        continue
      }
      for value in try rawFields(field, &reader) {
        if let index = found.firstIndex(where: { $0.field.number == number }) {
          found[index].values.append(value)
        } else {
          found.append(Occurrences(field: field, values: [value]))
        }
      }
    }
    return found
  }

  private func rawFields(
    _ field: MessageSchema.Field,
    _ reader: inout ProtobufReader
  ) throws -> [RawField] {
    switch field.kind {
    case .string, .bytes, .message: return [.content(try reader.content())]
    case .double: return [.number(try reader.fixed64())]
    case .bool, .int32, .int64, .enumeration:
      guard field.isRepeated, reader.wireType == .bytes
      else { return [.number(try reader.varint())] }
      // Repeated numbers come packed.
      var packed = PackedVarints(try reader.content())
      var values: [RawField] = []
      while let value = try packed.next() { values.append(.number(value)) }
      return values
    }
  }

  private func writeEntry(
    _ value: RawField,
    _ field: MessageSchema.Field,
    _ writer: inout JSONWriter
  ) throws {
    guard case .content(let entry) = value, case .message(let type) = field.kind,
      let valueField = registry.message(type)[number: 2]
    else { throw ProtobufError.unexpectedWireType }
    var key = ""
    var content = RawField.content(UnsafeRawBufferPointer(start: nil, count: 0))
    var reader = ProtobufReader(entry)
    while let number = try reader.nextField() {
      switch number {
      case 1: key = try reader.string()
      case 2: content = .content(try reader.content())
      default: try reader.skip()
      }
    }
    writer.name(key)
    try write(content, valueField.kind, to: &writer)
  }

  private func write(
    _ value: RawField,
    _ kind: MessageSchema.Kind,
    to writer: inout JSONWriter
  ) throws {
    switch (kind, value) {
    case (.message(let type), .content(let bytes)): try write(bytes, type, to: &writer)
    case (.string, .content(let bytes)):
      guard let text = String(validating: bytes, as: UTF8.self)
      else { throw ProtobufError.malformedText }
      writer.string(text)
    case (.bytes, .content(let bytes)): writer.string(Base64.standard(bytes))
    case (.bool, .number(let bits)): writer.raw(bits != 0 ? "true" : "false")
    case (.int32, .number(let bits)): writer.raw(String(Int32(truncatingIfNeeded: bits)))
    case (.int64, .number(let bits)): writer.string(String(Int64(bitPattern: bits)))
    case (.double, .number(let bits)): writer.double(Double(bitPattern: bits))
    case (.enumeration(let name), .number(let bits)):
      writeEnumeration(Int32(truncatingIfNeeded: bits), name, to: &writer)
    default: throw ProtobufError.unexpectedWireType
    }
  }

  private func writeEnumeration(_ number: Int32, _ name: String, to writer: inout JSONWriter) {
    if name == WellKnownJSON.nullValue {
      writer.raw("null")
    } else if let value = registry.name(of: number, in: name) {
      writer.string(value)
    } else {
      writer.raw(String(number))
    }
  }
}

/// The numbers of a packed field.
struct PackedVarints {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0

  /// Numbers one after the other, without tags.
  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The next number; nil at the end.
  mutating func next() throws(ProtobufError) -> UInt64? {
    guard position < bytes.count else { return nil }
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 70, by: 7) {
      guard position < bytes.count else { throw .truncated }
      let byte = bytes[position]
      position += 1
      value |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return value }
    }
    throw .malformedVarint
  }
}

extension RESTTranscoder {
  /// The bytes of a request message of that method, from JSON.
  package func message(of method: RPCMethod, json: [UInt8]) throws(ServiceError) -> [UInt8] {
    try JSONTranscoder().encode(
      try JSONParser.parse(json),
      as: "google.firestore.v1.\(method.rawValue)Request"
    )
  }

  /// The JSON of a response of that method.
  package func json(
    of method: RPCMethod,
    response: [UInt8]
  ) throws(ServiceError) -> [UInt8] {
    try MessageJSON.text(of: Self.responseType(of: method), bytes: response)
  }

  private static func responseType(of method: RPCMethod) -> String {
    switch method {
    case .getDocument, .createDocument, .updateDocument: "google.firestore.v1.Document"
    case .deleteDocument, .rollback: WellKnownJSON.empty
    default: "google.firestore.v1.\(method.rawValue)Response"
    }
  }
}
