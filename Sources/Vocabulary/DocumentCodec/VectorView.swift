import BaseStatus
import BaseText
import FirestoreModel

/// A vector as we store it, read in place.
///
/// On the wire a vector is the map {__type__: "__vector__", value: [doubles]}. Stored, the marker
/// comes first, so a vector's map begins with fixed bytes (`head`), then follow the lengths of the
/// second entry, of its value and of its array, and 11 bytes for each component: 0A 09 19 and the
/// double, little-endian.
struct VectorView {
  private static let stride = 11

  private let components: UnsafeRawBufferPointer

  /// Nil where the map is no vector in the stored spelling.
  init?(map message: UnsafeRawBufferPointer) {
    let head = Self.head
    guard message.count > head.count, message[4] == UInt8(ascii: "_"),
      head.withUnsafeBytes({
        isSame($0, UnsafeRawBufferPointer(rebasing: message[..<$0.count]))
      }),
      let found = try? Self.components(afterHead: message.dropFirst(head.count))
    else { return nil }
    components = found
  }

  var dimension: Int { components.count / Self.stride }

  /// One component; the index must be below the dimension.
  subscript(index: Int) -> Double {
    let bits = components.loadUnaligned(
      fromByteOffset: index * Self.stride + 3,
      as: UInt64.self
    )
    return Double(bitPattern: UInt64(littleEndian: bits))
  }

  /// Refuses values that Firestore does not store; the components are known to be doubles.
  func check() throws {
    try Self.checkDimension(dimension)
    for index in 0..<dimension {
      if self[index].isNaN {
        throw ServiceError.invalidArgument("Vector cannot contain NaN values.")
      }
    }
  }

  /// Refuses a decoded map that bears the vector's marker and is no vector.
  static func checkShape(_ map: MapValue) throws {
    guard map["__type__"] == .string("__vector__") else {
      throw ServiceError.invalidArgument("field name '__type__' is reserved.")
    }
    guard let value = map["value"] else {
      throw ServiceError.invalidArgument("Vector map is missing key 'value'.")
    }
    guard map.entries.count == 2 else {
      throw ServiceError.invalidArgument("Vector value map has extraneous entries.")
    }
    guard case .array(let elements) = value else {
      throw ServiceError.invalidArgument("Vector value type must be an array.")
    }
    try checkDimension(elements.count)
    let areDoubles = elements.allSatisfy { if case .double = $0 { true } else { false } }
    guard areDoubles else {
      throw ServiceError.invalidArgument("Vector must only contain values of type 'double'")
    }
    if elements.contains(where: \.isNaN) {
      throw ServiceError.invalidArgument("Vector cannot contain NaN values.")
    }
  }

  private static func checkDimension(_ dimension: Int) throws {
    if dimension == 0 { throw ServiceError.invalidArgument("Cannot have a zero length vector.") }
    if dimension > Limits.vectorDimension {
      throw ServiceError.invalidArgument(
        "Vectors must be at most \(Limits.vectorDimension) dimensions."
      )
    }
  }

  /// The entry of `__type__`.
  private static let head: [UInt8] = {
    var writer = ProtobufWriter()
    writer.mapEntry(1, "__type__", .string("__vector__"))
    return writer.bytes
  }()

  private static func components(
    afterHead rest: Slice<UnsafeRawBufferPointer>
  ) throws -> UnsafeRawBufferPointer? {
    var map = ProtobufReader(UnsafeRawBufferPointer(rebasing: rest))
    guard try map.nextField() == 1 else { return nil }
    var entry = ProtobufReader(try map.content())
    guard try entry.nextField() == 1, try entry.content().elementsEqual("value".utf8),
      try entry.nextField() == 2
    else { return nil }
    var value = ProtobufReader(try entry.content())
    guard try value.nextField() == ValueField.array else { return nil }
    let array = try value.content()
    guard map.isAtEnd, entry.isAtEnd, value.isAtEnd,
      map.isCanonical, entry.isCanonical, value.isCanonical
    else { return nil }
    return bareDoubles(array)
  }

  /// The array's bytes if all elements are of one double's length.
  private static func bareDoubles(_ bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard bytes.count.isMultiple(of: stride) else { return nil }
    for start in Swift.stride(from: 0, to: bytes.count, by: stride)
    where bytes[start] != 0x0A || bytes[start + 1] != 0x09 || bytes[start + 2] != 0x19 {
      return nil
    }
    return bytes
  }
}

/// Returns true if two runs of bytes are the same.
@inline(__always)
func isSame(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
  left.count == right.count && compareBytes(left, right) == .equal
}
