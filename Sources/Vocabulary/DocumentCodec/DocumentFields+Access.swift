import BaseText
import FirestoreModel

// Reading stored fields. Bytes that were never validated give arbitrary results, not a crash.

extension DocumentFields {
  /// Encodes a map; the entries come out sorted.
  package init(encoding map: MapValue) {
    var writer = ProtobufWriter()
    writer.mapEntries(2, map)
    self.init(validated: writer.bytes)
  }

  /// All fields, decoded.
  package func decoded() -> MapValue {
    bytes.withUnsafeBytes { (try? ValueDecoder.map($0, field: 2)) ?? MapValue() }
  }

  /// The value at a path, decoded; nil where there is none.
  package func value(at path: FieldPath) -> Value? {
    withView(at: path) { $0?.decoded() }
  }

  /// The value of a field of the document itself, decoded; nil where there is none.
  package func value(of field: Text) -> Value? {
    bytes.withUnsafeBytes { EntryIterator.view(in: $0, field: 2, named: field)?.decoded() }
  }

  /// Returns true if there is a value at a path.
  package func hasValue(at path: FieldPath) -> Bool { withView(at: path) { $0 != nil } }

  /// Lends the value at a path as it lies in the bytes; the view ends with the body.
  package func withView<R>(
    at path: FieldPath,
    _ body: (ValueView?) throws -> R
  ) rethrows -> R {
    try bytes.withUnsafeBytes { raw in
      try body(EntryIterator.view(in: raw, field: 2, at: path.segments[...]))
    }
  }

  /// Goes over the fields, their names as UTF-8; both are lent to the body.
  package func forEachField(
    _ body: (UnsafeRawBufferPointer, ValueView) throws -> Void
  ) rethrows {
    try bytes.withUnsafeBytes { raw in
      var entries = EntryIterator(raw, field: 2)
      while let (key, value) = entries.next() { try body(key, ValueView(value)) }
    }
  }

  /// The size of keys and values as Firestore counts it.
  package var byteSize: Int {
    var check = FieldsCheck()
    try? bytes.withUnsafeBytes { try check.entries($0, field: 2, depth: 0) }
    return check.size
  }
}

/// A document's stored fields, lent for the length of a call.
package struct FieldsView {
  private let bytes: UnsafeRawBufferPointer

  /// A view of the bytes of `DocumentFields`.
  package init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// The value at a path as it lies in the bytes; nil where there is none.
  package func value(at path: FieldPath) -> ValueView? {
    EntryIterator.view(in: bytes, field: 2, at: path.segments[...])
  }

  /// Goes over the fields, their names as UTF-8.
  package func forEachField(
    _ body: (UnsafeRawBufferPointer, ValueView) throws -> Void
  ) rethrows {
    var entries = EntryIterator(bytes, field: 2)
    while let (key, value) = entries.next() { try body(key, ValueView(value)) }
  }
}

extension DocumentRecord: QueryDocument {
  /// The field's value, decoded from the stored bytes; nil where there is none.
  package func value(at path: FieldPath) -> Value? { fields.value(at: path) }
}

/// Goes over the entries of a stored `map<string, Value>` field.
struct EntryIterator: IteratorProtocol {
  private var reader: ProtobufReader
  private let field: Int
  /// The offset in the message at which the entry that `next()` returned last begins.
  private(set) var start = 0

  init(_ message: UnsafeRawBufferPointer, field: Int) {
    reader = ProtobufReader(message)
    self.field = field
  }

  /// The offset at which that entry ends.
  var end: Int { reader.position }

  mutating func next() -> (key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)? {
    start = reader.position
    guard let found = try? readEntry() else { return nil }
    return found
  }

  private mutating func readEntry() throws(ProtobufError) -> (
    key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
  )? {
    guard try reader.nextField() == field else { return nil }
    var entry = ProtobufReader(try reader.content())
    guard try entry.nextField() == 1 else { return nil }
    let key = try entry.content()
    guard try entry.nextField() == 2 else { return nil }
    return (key, try entry.content())
  }

  static func view(
    in message: UnsafeRawBufferPointer,
    field: Int,
    at path: ArraySlice<Text>
  ) -> ValueView? {
    guard let name = path.first else { return nil }
    let found = view(in: message, field: field, named: name)
    guard path.count > 1, let found else { return found }
    guard case .map(let inner) = found.content else { return nil }
    return view(in: inner, field: 1, at: path.dropFirst())
  }

  static func view(
    in message: UnsafeRawBufferPointer,
    field: Int,
    named name: Text
  ) -> ValueView? {
    name.withBytes { bytes in
      var entries = EntryIterator(message, field: field)
      while let (key, value) = entries.next() {
        if isSame(key, bytes) { return ValueView(value) }
      }
      return nil
    }
  }
}
