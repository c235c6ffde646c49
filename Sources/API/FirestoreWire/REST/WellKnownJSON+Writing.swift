import BaseJSON
import DocumentCodec

extension WellKnownJSON {
  /// Writes the fields of a message that an `Any` holds.
  typealias FieldsWriter = (UnsafeRawBufferPointer, String, inout JSONWriter) throws -> Void

  /// Writes a message that has a JSON form of its own; false, nothing written, for all others.
  static func write(
    _ bytes: UnsafeRawBufferPointer,
    _ type: String,
    to writer: inout JSONWriter,
    any fields: FieldsWriter
  ) throws -> Bool {
    switch type {
    case timestamp.rawValue:
      let (seconds, nanos) = try secondsAndNanos(bytes)
      writer.string(TimestampText.format(seconds: seconds, nanos: nanos))
    case duration.rawValue:
      let (seconds, nanos) = try secondsAndNanos(bytes)
      writer.string(DurationText.format(seconds: seconds, nanos: nanos))
    case int32Value.rawValue: writer.raw(String(Int64(bitPattern: try wrapped(bytes))))
    case int64Value.rawValue: writer.string(String(Int64(bitPattern: try wrapped(bytes))))
    case doubleValue.rawValue: writer.double(Double(bitPattern: try wrapped(bytes)))
    case "google.protobuf.Struct": try writeStruct(bytes, to: &writer)
    case value: try writeValue(bytes, to: &writer)
    case "google.protobuf.ListValue": try writeList(bytes, to: &writer)
    case "google.protobuf.Any": try writeAny(bytes, to: &writer, fields)
    case empty: writer.object { _ in }
    default: return false
    }
    return true
  }

  private static func secondsAndNanos(
    _ bytes: UnsafeRawBufferPointer
  ) throws -> (Int64, Int32) {
    var result: (seconds: Int64, nanos: Int32) = (0, 0)
    var reader = ProtobufReader(bytes)
    while let field = try reader.nextField() {
      switch field {
      case 1: result.seconds = try reader.int64()
      case 2: result.nanos = try reader.int32()
      default: try reader.skip()
      }
    }
    return result
  }

  private static func wrapped(_ bytes: UnsafeRawBufferPointer) throws -> UInt64 {
    var value: UInt64 = 0
    var reader = ProtobufReader(bytes)
    while let field = try reader.nextField() {
      guard field == 1 else {
        try reader.skip()
        continue
      }
      value = reader.wireType == .fixed64 ? try reader.fixed64() : try reader.varint()
    }
    return value
  }

  private static func writeStruct(
    _ bytes: UnsafeRawBufferPointer,
    to writer: inout JSONWriter
  ) throws {
    try writer.object { writer in
      var reader = ProtobufReader(bytes)
      while try reader.nextField() != nil {
        var entry = ProtobufReader(try reader.content())
        while let field = try entry.nextField() {
          switch field {
          case 1: writer.name(try entry.string())
          case 2: try writeValue(try entry.content(), to: &writer)
          default: try entry.skip()
          }
        }
      }
    }
  }

  private static func writeValue(
    _ bytes: UnsafeRawBufferPointer,
    to writer: inout JSONWriter
  ) throws {
    var reader = ProtobufReader(bytes)
    guard let field = try reader.nextField() else { throw ProtobufError.truncated }
    switch field {
    case 2: writer.double(try reader.double())
    case 3: writer.string(try reader.string())
    case 4: writer.raw(try reader.bool() ? "true" : "false")
    case 5: try writeStruct(try reader.content(), to: &writer)
    case 6: try writeList(try reader.content(), to: &writer)
    default: writer.raw("null")
    }
  }

  private static func writeList(
    _ bytes: UnsafeRawBufferPointer,
    to writer: inout JSONWriter
  ) throws {
    try writer.array { writer in
      var reader = ProtobufReader(bytes)
      while try reader.nextField() != nil {
        writer.element()
        try writeValue(try reader.content(), to: &writer)
      }
    }
  }

  private static func wrappedString(_ bytes: UnsafeRawBufferPointer) throws -> String {
    var value = ""
    var reader = ProtobufReader(bytes)
    while let field = try reader.nextField() {
      if field == 1 { value = try reader.string() } else { try reader.skip() }
    }
    return value
  }

  private static func writeAny(
    _ bytes: UnsafeRawBufferPointer,
    to writer: inout JSONWriter,
    _ fields: FieldsWriter
  ) throws {
    var url = ""
    var content = UnsafeRawBufferPointer(start: nil, count: 0)
    var reader = ProtobufReader(bytes)
    while let field = try reader.nextField() {
      switch field {
      case 1: url = try reader.string()
      case 2: content = try reader.content()
      default: try reader.skip()
      }
    }
    let type = String(
      url[(url.lastIndex(of: "/").map { url.index(after: $0) } ?? url.startIndex)...]
    )
    try writer.object { writer in
      writer.name("@type")
      writer.string(url)
      if type == "google.protobuf.StringValue" {
        writer.name("value")
        writer.string(try wrappedString(content))
      } else if SchemaRegistry.shared.hasMessage(type) {
        try fields(content, type, &writer)
      }
    }
  }
}
