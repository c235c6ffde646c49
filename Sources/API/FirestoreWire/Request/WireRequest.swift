import BaseStatus
import BaseText
import DocumentCodec
import FirestoreModel

/// A request read from the bytes of its protobuf message.
///
/// Fields come in any order and unknown ones are passed over, as protobuf asks; a scalar that comes
/// twice keeps its last value. A message or a member of a oneof that comes twice is refused: no
/// encoder writes one.
package protocol WireRequest: Sendable, Hashable {
  /// Reads the message's fields to their end.
  init(from reader: inout ProtobufReader) throws
}

extension WireRequest {
  /// Reads a request; INVALID_ARGUMENT, with Firestore's text, where it is malformed.
  package init(decoding bytes: [UInt8]) throws(ServiceError) {
    self = try bytes.decodingRequest { reader in try Self(from: &reader) }
  }

  /// Reads a request in place; stored parts of it are copied.
  package init(decoding bytes: UnsafeRawBufferPointer) throws(ServiceError) {
    self = try bytes.decodingRequest { reader in try Self(from: &reader) }
  }
}

extension [UInt8] {
  /// Runs a decoder over the bytes, see below.
  func decodingRequest<R>(
    _ body: (inout ProtobufReader) throws -> R
  ) throws(ServiceError) -> R {
    try withUnsafeBytes { bytes in
      Result { () throws(ServiceError) in try bytes.decodingRequest(body) }
    }.get()
  }
}

extension UnsafeRawBufferPointer {
  /// Runs a decoder over the bytes; faults of the bytes themselves are the client's error.
  func decodingRequest<R>(
    _ body: (inout ProtobufReader) throws -> R
  ) throws(ServiceError) -> R {
    var reader = ProtobufReader(self)
    do {
      return try body(&reader)
    } catch let error as ServiceError {
      throw error
    } catch {
      throw ServiceError(
        .invalidArgument,
        "The request is not a valid protobuf message.",
        cause: error
      )
    }
  }
}

extension ProtobufReader {
  /// Reads a length-delimited field's content with a reader of its own.
  mutating func submessage<R>(
    _ body: (inout ProtobufReader) throws -> R
  ) throws -> R {
    var reader = ProtobufReader(try content())
    return try body(&reader)
  }

  /// Reads the resource name of a document.
  mutating func documentName() throws -> DocumentName {
    let bytes = try content()
    guard isValidUTF8(bytes) else { throw ProtobufError.malformedText }
    return try DocumentName(parsing: bytes)
  }

  /// Reads a string as text.
  mutating func text() throws -> Text { Text(try string()) }

  /// Reads a `google.firestore.v1.Value`.
  mutating func value() throws -> Value { try DocumentCodec.operand(try content()) }

  /// Reads a `google.protobuf.Timestamp`.
  mutating func timestamp() throws -> Timestamp { try DocumentCodec.timestamp(try content()) }

  /// Reads the `value` of an `Int32Value` or `Int64Value`.
  mutating func wrappedInteger() throws -> Int64 {
    try submessage { reader in
      var value: Int64 = 0
      while let field = try reader.nextField() {
        if field == 1 { value = try reader.int64() } else { try reader.skip() }
      }
      return value
    }
  }

  /// Reads the `value` of a `DoubleValue`.
  mutating func wrappedDouble() throws -> Double {
    try submessage { reader in
      var value = 0.0
      while let field = try reader.nextField() {
        if field == 1 { value = try reader.double() } else { try reader.skip() }
      }
      return value
    }
  }

  /// Reads the paths of a `DocumentMask`.
  mutating func maskTexts() throws -> [String] {
    try submessage { reader in
      var paths: [String] = []
      while let field = try reader.nextField() {
        if field == 1 { paths.append(try reader.string()) } else { try reader.skip() }
      }
      return paths
    }
  }

  /// Reads a mask of what to return.
  mutating func readMask() throws -> [FieldPath] { try FieldMask.read(parsing: try maskTexts()) }

  /// Reads a mask of what to change.
  mutating func updateMask() throws -> [FieldPath] {
    try FieldMask.update(parsing: try maskTexts())
  }

  /// Reads an entry of a `map<string, string>`.
  mutating func labelEntry(into labels: inout [String: String]) throws {
    var key = ""
    var value = ""
    try submessage { reader in
      while let field = try reader.nextField() {
        switch field {
        case 1: key = try reader.string()
        case 2: value = try reader.string()
        default: try reader.skip()
        }
      }
    }
    labels[key] = value
  }
}

extension Optional {
  /// Sets what may be set once: a message, or a member of a oneof.
  mutating func set(_ value: Wrapped, once name: StaticString) throws {
    guard case .none = self else {
      throw ServiceError.invalidArgument("\"\(name)\" is set more than once.")
    }
    self = value
  }
}

extension DocumentName {
  /// Throws where the document belongs to another database than its request.
  package func check(isIn database: DatabaseID) throws(ServiceError) {
    guard self.database == database else {
      throw .invalidArgument(
        "Document \"\(string)\" is not in the database of the request, \"\(database.path)\"."
      )
    }
  }
}

/// Throws where a document belongs to another database than the request.
func check(_ name: DocumentName, isIn database: DatabaseID) throws(ServiceError) {
  try name.check(isIn: database)
}
