import BaseStatus
import BaseText
import FirestoreModel

/// The protobuf is legal but not spelled as we store it: decode it and encode it again.
struct UnusualSpelling: Error {}

/// Checks a document's fields in place: fields that Firestore does not store are refused with its
/// text, and another spelling of valid fields throws `UnusualSpelling`.
///
/// Bytes that pass are canonical but for the order of map entries: every message holds its fields
/// once, in order, shortest varints, no defaults spelled out, no unknown fields, whole
/// microseconds, no key twice. So readers of stored bytes need no checks of their own. Stored
/// values of the same type are identical if their bytes are, and, unless they contain maps, only
/// then.
struct FieldsCheck {
  /// The most keys of an unsorted map that are searched; a larger one is rebuilt instead.
  private static let searchedKeys = 64

  /// Keys and values so far, by Firestore's arithmetic.
  private(set) var size = 0
  /// The keys of the maps that are open, outermost first.
  private var keys: [UnsafeRawBufferPointer] = []
  /// The field of the document that is being read.
  private var property = UnsafeRawBufferPointer(start: nil, count: 0)

  init() { keys.reserveCapacity(32) }

  /// Reads `Document.fields` (field 2) or `MapValue.fields` (field 1).
  mutating func entries(
    _ message: UnsafeRawBufferPointer,
    field: Int,
    depth: Int
  ) throws {
    let firstKey = keys.count
    var isSorted = true
    var reader = ProtobufReader(message)
    while let next = try reader.nextField() {
      guard next == field else { throw UnusualSpelling() }
      var entry = ProtobufReader(try reader.content())
      guard try entry.nextField() == 1 else { throw UnusualSpelling() }
      let key = try entry.content()
      guard try entry.nextField() == 2 else { throw UnusualSpelling() }
      let content = try entry.content()
      guard entry.isAtEnd, entry.isCanonical else { throw UnusualSpelling() }
      if depth == 0 {
        property = key
      } else if isTypeMarker(key) {
        try checkMarked(message)
      }
      try checkName(key, depth: depth)
      try checkUnique(key, from: firstKey, isSorted: &isSorted)
      keys.append(key)
      size += key.count + 1
      try value(content, depth: depth, inArray: false)
    }
    guard reader.isCanonical else { throw UnusualSpelling() }
    keys.removeLast(keys.count - firstKey)
  }

  /// Reads a `Value` that is inside `depth` maps and arrays.
  mutating func value(_ message: UnsafeRawBufferPointer, depth: Int, inArray: Bool) throws {
    var reader = ProtobufReader(message)
    guard let field = try reader.nextField() else {
      throw ServiceError.invalidArgument("The value of property \"\(name)\" is not set.")
    }
    switch field {
    case ValueField.string: try string(try reader.content())
    case ValueField.integer:
      _ = try reader.varint()
      size += 8
    case ValueField.double:
      _ = try reader.fixed64()
      size += 8
    case ValueField.boolean:
      guard try reader.varint() <= 1 else { throw UnusualSpelling() }
      size += 1
    case ValueField.null:
      guard try reader.varint() == 0 else { throw UnusualSpelling() }
      size += 1
    case ValueField.timestamp: try timestamp(try reader.content())
    case ValueField.bytes: try bytes(try reader.content())
    case ValueField.reference: try reference(try reader.content())
    case ValueField.geoPoint: try geoPoint(try reader.content())
    case ValueField.array:
      if inArray { throw ServiceError.invalidArgument("Nested arrays are not allowed") }
      try array(try reader.content(), depth: depth + 1)
    case ValueField.map: try map(try reader.content(), depth: depth + 1)
    default: throw UnusualSpelling()
    }
    guard reader.isAtEnd, reader.isCanonical else { throw UnusualSpelling() }
  }

  private var name: String { String(decoding: property, as: UTF8.self) }

  // MARK: Names

  private func checkName(_ key: UnsafeRawBufferPointer, depth: Int) throws {
    guard key.count > 0 else {
      throw ServiceError.invalidArgument("The property.name is the empty string.")
    }
    guard key.count <= Limits.fieldNameSize else {
      throw ServiceError.invalidArgument("The property.name is longer than 1500 bytes.")
    }
    guard isValidUTF8(key) else { throw ProtobufError.malformedText }
    if key[0] == UInt8(ascii: "_"), ResourceID.isReserved(key) {
      let text = String(decoding: key, as: UTF8.self)
      throw ServiceError.invalidArgument(
        depth == 0 ? "field name \(text) is reserved" : "field name '\(text)' is reserved."
      )
    }
  }

  private func checkUnique(
    _ key: UnsafeRawBufferPointer,
    from first: Int,
    isSorted: inout Bool
  ) throws {
    guard keys.count > first else { return }
    let last = keys[keys.count - 1]
    if isSorted, last[0] < key[0] || compareBytes(last, key) == .ascending { return }
    isSorted = false
    if keys.count - first > Self.searchedKeys { throw UnusualSpelling() }
    for index in first..<keys.count where isSame(keys[index], key) { throw UnusualSpelling() }
  }

  // MARK: Scalars

  private mutating func string(_ content: UnsafeRawBufferPointer) throws {
    guard isValidUTF8(content) else { throw ProtobufError.malformedText }
    try checkLength(content.count)
    size += content.count + 1
  }

  private mutating func bytes(_ content: UnsafeRawBufferPointer) throws {
    try checkLength(content.count)
    size += content.count
  }

  private func checkLength(_ count: Int) throws {
    guard count <= Limits.valueSize else {
      throw ServiceError.invalidArgument(
        "The value of property \"\(name)\" is longer than \(Limits.valueSize) bytes."
      )
    }
  }

  private mutating func reference(_ content: UnsafeRawBufferPointer) throws {
    guard isValidUTF8(content) else { throw ProtobufError.malformedText }
    let pathStart = try DocumentName.check(content)
    // Each id and one byte: as many as the path with its slashes, and one more.
    size += 16 + content.count - pathStart + 1
  }

  /// Accepts only the spelling without defaults; the decoder checks any other.
  private mutating func timestamp(_ content: UnsafeRawBufferPointer) throws {
    var seconds: Int64 = 0
    var nanos: Int64 = 0
    var last = 0
    var reader = ProtobufReader(content)
    while let field = try reader.nextField() {
      guard field > last, field <= 2 else { throw UnusualSpelling() }
      let number = try reader.int64()
      guard number != 0 else { throw UnusualSpelling() }
      if field == 1 { seconds = number } else { nanos = number }
      last = field
    }
    guard reader.isCanonical, (0..<1_000_000_000).contains(nanos), nanos % 1_000 == 0,
      (Timestamp.minimumSeconds...Timestamp.maximumSeconds).contains(seconds)
    else { throw UnusualSpelling() }
    size += 8
  }

  private mutating func geoPoint(_ content: UnsafeRawBufferPointer) throws {
    var last = 0
    var reader = ProtobufReader(content)
    while let field = try reader.nextField() {
      guard field > last, field <= 2 else { throw UnusualSpelling() }
      let degrees = try reader.double()
      let limit = field == 1 ? 90.0 : 180.0
      guard degrees.bitPattern != 0, abs(degrees) <= limit else { throw UnusualSpelling() }
      last = field
    }
    guard reader.isCanonical else { throw UnusualSpelling() }
    size += 16
  }

  // MARK: Containers

  private mutating func array(_ message: UnsafeRawBufferPointer, depth: Int) throws {
    try checkDepth(depth)
    var reader = ProtobufReader(message)
    while let field = try reader.nextField() {
      guard field == 1 else { throw UnusualSpelling() }
      try value(try reader.content(), depth: depth, inArray: true)
    }
    guard reader.isCanonical else { throw UnusualSpelling() }
  }

  private mutating func map(_ message: UnsafeRawBufferPointer, depth: Int) throws {
    try checkDepth(depth)
    if let vector = VectorView(map: message) {
      try vector.check()
      size += 8 * vector.dimension
    } else if BSONView.isMarked(message) {
      try bson(message)
    } else {
      try entries(message, field: 1, depth: depth)
    }
  }

  /// Takes a value of a BSON type in its one spelling.
  private mutating func bson(_ message: UnsafeRawBufferPointer) throws {
    let map = try ValueDecoder.map(message, field: 1)
    guard case .bson(let value)? = try BSONValue.value(of: map) else { throw UnusualSpelling() }
    var writer = ProtobufWriter()
    writer.mapEntries(1, value.map)
    guard writer.bytes.withUnsafeBytes({ isSame($0, message) }) else { throw UnusualSpelling() }
    size += value.byteSize
    switch value {
    case .binary(_, let bytes): try checkLength(bytes.count)
    case .regex(let pattern, _): try checkLength(pattern.byteCount)
    default: break
    }
  }

  private func checkDepth(_ depth: Int) throws {
    guard depth <= Limits.nestingDepth else {
      throw ServiceError.invalidArgument(
        "Property \(name) contains an invalid nested entity."
      )
    }
  }

  /// Judges a map with the vector's marker that is not spelled as a vector.
  private func checkMarked(_ message: UnsafeRawBufferPointer) throws {
    try VectorView.checkShape(ValueDecoder.map(message, field: 1))
    throw UnusualSpelling()
  }
}

private func isTypeMarker(_ key: UnsafeRawBufferPointer) -> Bool {
  key.count == 8 && key.elementsEqual("__type__".utf8)
}
