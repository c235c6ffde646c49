import BaseStatus
import FirestoreModel

/// The way in: from a client's bytes to what the store holds.
package enum DocumentCodec {
  /// Checks the concatenated `Document.fields` entries of a document and returns them as stored.
  ///
  /// Well-spelled bytes pass as they came; other legal protobuf (a key twice, nanoseconds, unknown
  /// fields, defaults spelled out) is decoded and encoded again.
  package static func validate(
    _ fields: [UInt8],
    name: DocumentName
  ) throws(ServiceError) -> DocumentFields {
    do {
      let size = try fields.withUnsafeBytes { try check($0) }
      try checkSize(size, name: name)
      return DocumentFields(validated: fields)
    } catch is UnusualSpelling {
      return try respelled(fields, name: name)
    } catch {
      throw refusal(error)
    }
  }

  /// The same for bytes that are part of a message; copies them.
  package static func validate(
    _ fields: UnsafeRawBufferPointer,
    name: DocumentName
  ) throws(ServiceError) -> DocumentFields {
    try validate(Array(fields), name: name)
  }

  /// Takes a `google.firestore.v1.Document` apart: its name's text and its fields' entries.
  package static func split(
    document: UnsafeRawBufferPointer
  ) throws(ServiceError) -> (name: String, fields: [UInt8]) {
    var name = ""
    var fields: [UInt8] = []
    do {
      var reader = ProtobufReader(document)
      var start = 0
      while let field = try reader.nextField() {
        if field == 1 { name = try reader.string() } else { try reader.skip() }
        if field == 2 {
          fields.append(contentsOf: document[start..<reader.position])
        }
        start = reader.position
      }
    } catch {
      throw refusal(error)
    }
    return (name, fields)
  }

  /// Decodes an operand of a filter, cursor or transform from a `google.firestore.v1.Value`.
  package static func operand(
    _ message: UnsafeRawBufferPointer
  ) throws(ServiceError) -> Value {
    do { return try ValueDecoder.value(message) } catch { throw refusal(error) }
  }

  /// Decodes a `google.protobuf.Timestamp`; refuses one outside Firestore's years.
  package static func timestamp(_ message: UnsafeRawBufferPointer) throws -> Timestamp {
    try ValueDecoder.timestamp(message)
  }

  /// Refuses a value that no field could hold, as operands of array transforms must not.
  package static func checkStorable(_ value: Value, inArray: Bool) throws(ServiceError) {
    var writer = ProtobufWriter()
    writer.valueFields(value)
    do {
      var check = FieldsCheck()
      try writer.bytes.withUnsafeBytes { try check.value($0, depth: 1, inArray: inArray) }
    } catch {
      throw refusal(error)
    }
  }

  /// Refuses a document that is too large with its fields.
  package static func checkSize(
    _ fieldsSize: Int,
    name: DocumentName
  ) throws(ServiceError) {
    let size = fieldsSize + name.path.byteSize + 32
    guard size > Limits.documentSize else { return }
    throw .invalidArgument(
      "Document '\(name.string)' cannot be written because its size (\(grouped(size)) bytes) "
        + "exceeds the maximum allowed size of \(grouped(Limits.documentSize)) bytes."
    )
  }

  private static func check(_ fields: UnsafeRawBufferPointer) throws -> Int {
    var check = FieldsCheck()
    try check.entries(fields, field: 2, depth: 0)
    return check.size
  }

  private static func respelled(
    _ fields: [UInt8],
    name: DocumentName
  ) throws(ServiceError) -> DocumentFields {
    do {
      let decoded = try fields.withUnsafeBytes { try ValueDecoder.map($0, field: 2) }
      let result = DocumentFields(encoding: decoded)
      try checkSize(try result.bytes.withUnsafeBytes { try check($0) }, name: name)
      return result
    } catch {
      throw refusal(error)
    }
  }

  private static func refusal(_ error: any Error) -> ServiceError {
    switch error {
    case let refused as ServiceError: refused
    case ProtobufError.malformedText:
      .invalidArgument("A string contains bytes that are not valid UTF-8.")
    default: ServiceError(.invalidArgument, "The message is malformed.", cause: error)
    }
  }

  /// Digits in groups of three.
  private static func grouped(_ number: Int) -> String {
    let digits = String(number)
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index).isMultiple(of: 3) { result.append(",") }
      result.append(digit)
    }
    return result
  }
}
