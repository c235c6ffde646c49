import BaseStatus
import DocumentCodec

// Documents as messages. Most have no reference and pass as they are; a `google.firestore.v1.Value` has one field, a map's
// entry is {key 1, value 2}.
extension ReferenceMove {
  /// Levels of maps and arrays; no document of Firestore has so many.
  private static let deepest = 64

  /// The `Document` message with its references moved; INVALID_ARGUMENT where it is none.
  func moved(_ document: [UInt8], named name: String) throws -> [UInt8] {
    guard let source = Self.parts(name), isElsewhere(source) else { return document }
    do {
      return try document.withUnsafeBytes { bytes in
        guard try Self.hasReference(document: bytes) else { return document }
        var writer = ProtobufWriter(capacity: document.count + 256)
        try each(of: bytes, into: &writer) { field, content, writer in
          guard field == 2 else { return false }
          try writeEntry(2, content, source, depth: 0, into: &writer)
          return true
        }
        return writer.bytes
      }
    } catch is ProtobufError {
      throw ServiceError.invalidArgument("A document is malformed.")
    }
  }

  // MARK: Looking

  private static func hasReference(document: UnsafeRawBufferPointer) throws -> Bool {
    try anyField(of: document, numbered: 2) { try hasReference(entry: $0, depth: 0) }
  }

  private static func hasReference(entry: UnsafeRawBufferPointer, depth: Int) throws -> Bool {
    try anyField(of: entry, numbered: 2) { try hasReference(value: $0, depth: depth) }
  }

  private static func hasReference(value: UnsafeRawBufferPointer, depth: Int) throws -> Bool {
    try checkDepth(depth)
    var reader = ProtobufReader(value)
    while let field = try reader.nextField() {
      switch field {
      case ValueField.reference: return true
      case ValueField.map:
        let map = try reader.content()
        if try anyField(of: map, numbered: 1, { try hasReference(entry: $0, depth: depth + 1) }) {
          return true
        }
      case ValueField.array:
        let array = try reader.content()
        if try anyField(of: array, numbered: 1, { try hasReference(value: $0, depth: depth + 1) }) {
          return true
        }
      default: try reader.skip()
      }
    }
    return false
  }

  private static func anyField(
    of message: UnsafeRawBufferPointer,
    numbered number: Int,
    _ isWanted: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    var reader = ProtobufReader(message)
    while let field = try reader.nextField() {
      if field != number {
        try reader.skip()
      } else if try isWanted(reader.content()) {
        return true
      }
    }
    return false
  }

  private static func checkDepth(_ depth: Int) throws {
    guard depth <= deepest else {
      throw ServiceError.invalidArgument("Maps and arrays lie more than \(deepest) levels deep.")
    }
  }

  // MARK: Writing

  private func writeEntry(
    _ number: Int,
    _ entry: UnsafeRawBufferPointer,
    _ source: DatabaseLabel,
    depth: Int,
    into writer: inout ProtobufWriter
  ) throws {
    try writer.message(number) { writer in
      try each(of: entry, into: &writer) { field, content, writer in
        guard field == 2 else { return false }
        try writeValue(2, content, source, depth: depth, into: &writer)
        return true
      }
    }
  }

  private func writeValue(
    _ number: Int,
    _ value: UnsafeRawBufferPointer,
    _ source: DatabaseLabel,
    depth: Int,
    into writer: inout ProtobufWriter
  ) throws {
    try Self.checkDepth(depth)
    try writer.message(number) { writer in
      try each(of: value, into: &writer) { field, content, writer in
        switch field {
        case ValueField.reference:
          writer.string(field, reference(String(decoding: content, as: UTF8.self), source))
        case ValueField.map:
          try writeParts(field, content, into: &writer) { entry, writer in
            try writeEntry(1, entry, source, depth: depth + 1, into: &writer)
          }
        case ValueField.array:
          try writeParts(field, content, into: &writer) { element, writer in
            try writeValue(1, element, source, depth: depth + 1, into: &writer)
          }
        default: return false
        }
        return true
      }
    }
  }

  /// Writes a message whose fields 1 the body writes.
  private func writeParts(
    _ number: Int,
    _ message: UnsafeRawBufferPointer,
    into writer: inout ProtobufWriter,
    _ body: (UnsafeRawBufferPointer, inout ProtobufWriter) throws -> Void
  ) throws {
    try writer.message(number) { writer in
      try each(of: message, into: &writer) { field, content, writer in
        guard field == 1 else { return false }
        try body(content, &writer)
        return true
      }
    }
  }

  /// Passes the fields of a message; those that the body does not write are copied as they are.
  private func each(
    of message: UnsafeRawBufferPointer,
    into writer: inout ProtobufWriter,
    _ body: (Int, UnsafeRawBufferPointer, inout ProtobufWriter) throws -> Bool
  ) throws {
    var reader = ProtobufReader(message)
    var start = 0
    while let field = try reader.nextField() {
      var isWritten = false
      if reader.wireType == .bytes {
        isWritten = try body(field, reader.content(), &writer)
      } else {
        try reader.skip()
      }
      if !isWritten {
        writer.append(UnsafeRawBufferPointer(rebasing: message[start..<reader.position]))
      }
      start = reader.position
    }
  }
}
