import FirestoreModel

/// A stored value as it lies in a document's bytes; valid only while those are lent.
package struct ValueView {
  /// The value's type, and its content where that needs no decoding.
  package enum Content {
    case null
    case boolean(Bool)
    case integer(Int64)
    case double(Double)
    /// Microseconds since the epoch.
    case timestamp(Int64)
    /// UTF-8.
    case string(UnsafeRawBufferPointer)
    case bytes(UnsafeRawBufferPointer)
    /// A document's full name as UTF-8.
    case reference(UnsafeRawBufferPointer)
    case geoPoint(Double, Double)
    /// A `google.firestore.v1.ArrayValue`.
    case array(UnsafeRawBufferPointer)
    /// A `google.firestore.v1.MapValue` that is no vector, and no value of a BSON type.
    case map(UnsafeRawBufferPointer)
    /// The same, of a value of a BSON type.
    case bson(UnsafeRawBufferPointer)
    /// The same, of a vector.
    case vector(UnsafeRawBufferPointer)
  }

  /// The `google.firestore.v1.Value`.
  package let message: UnsafeRawBufferPointer

  /// A view of a stored value's message.
  package init(_ message: UnsafeRawBufferPointer) { self.message = message }

  /// The content of the value.
  package var content: Content { (try? readContent()) ?? .null }

  /// The value itself.
  package func decoded() -> Value { (try? ValueDecoder.value(message)) ?? .null }

  /// Goes over the elements if the value is an array.
  package func forEachElement(_ body: (ValueView) throws -> Void) rethrows {
    guard case .array(let array) = content else { return }
    var elements = ElementIterator(array)
    while let element = elements.next() { try body(element) }
  }

  /// Goes over the entries if the value is a map, or a value that is stored as one; keys are UTF-8.
  package func forEachEntry(
    _ body: (UnsafeRawBufferPointer, ValueView) throws -> Void
  ) rethrows {
    let map: UnsafeRawBufferPointer
    switch content {
    case .map(let content), .vector(let content), .bson(let content): map = content
    default: return
    }
    var entries = EntryIterator(map, field: 1)
    while let (key, value) = entries.next() { try body(key, ValueView(value)) }
  }

  private func readContent() throws(ProtobufError) -> Content {
    var reader = ProtobufReader(message)
    guard let field = try reader.nextField() else { return .null }
    switch field {
    case ValueField.string: return .string(try reader.content())
    case ValueField.integer: return .integer(try reader.int64())
    case ValueField.double: return .double(try reader.double())
    case ValueField.boolean: return .boolean(try reader.bool())
    case ValueField.timestamp: return .timestamp(try Self.microseconds(try reader.content()))
    case ValueField.bytes: return .bytes(try reader.content())
    case ValueField.reference: return .reference(try reader.content())
    case ValueField.geoPoint: return try Self.geoPoint(try reader.content())
    case ValueField.array: return .array(try reader.content())
    case ValueField.map:
      let map = try reader.content()
      if BSONView.isMarked(map) { return .bson(map) }
      return VectorView(map: map) == nil ? .map(map) : .vector(map)
    default: return .null
    }
  }

  private static func microseconds(
    _ message: UnsafeRawBufferPointer
  ) throws(ProtobufError) -> Int64 {
    var result: Int64 = 0
    var reader = ProtobufReader(message)
    while let field = try reader.nextField() {
      let number = try reader.int64()
      result &+= field == 1 ? number &* 1_000_000 : number / 1_000
    }
    return result
  }

  private static func geoPoint(
    _ message: UnsafeRawBufferPointer
  ) throws(ProtobufError) -> Content {
    var latitude = 0.0
    var longitude = 0.0
    var reader = ProtobufReader(message)
    while let field = try reader.nextField() {
      if field == 1 { latitude = try reader.double() } else { longitude = try reader.double() }
    }
    return .geoPoint(latitude, longitude)
  }
}

/// Goes over the elements of a stored array.
struct ElementIterator: IteratorProtocol {
  private var reader: ProtobufReader

  init(_ array: UnsafeRawBufferPointer) { reader = ProtobufReader(array) }

  mutating func next() -> ValueView? {
    guard let field = try? reader.nextField(), field == 1, let message = try? reader.content()
    else { return nil }
    return ValueView(message)
  }
}
