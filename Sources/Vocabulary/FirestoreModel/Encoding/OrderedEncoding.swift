/// Bytes of values whose `memcmp` order is `Value.compare`: what index keys are made of.
///
/// DESIGN
///
/// A value is a tag byte and a body. Tags rise with the classes of `Value.TypeOrder`, with gaps for
/// types to come; 0x00 is no tag, so it can end arrays and maps before any further element.
///
///     null        08
///     min key     0C
///     false, true 10, 11
///     NaN         18                (a class of its own: ranges over numbers never meet it)
///     number      19  9 or 11 bytes in all, below; decimals have 19 bytes more
///     timestamp   20  microseconds since the epoch, 8 bytes big-endian, sign bit flipped
///     BSON time   24  seconds and increment, 4 bytes big-endian each
///     string      28  UTF-8 with 00 written as 00 FF, then 00 01
///     bytes       30  like a string
///     binary      34  the subtype, then like a string
///     reference   38  project and database (each like a string's body), then the path's
///                     segments as `SegmentEncoding` has them, then 00
///     object ID   3C  its 12 bytes
///     geopoint    40  latitude, longitude: ordered doubles, 8 bytes each
///     regex       44  the pattern and the options, each like a string's body
///     array       48  the encoded elements, then 00
///     vector      50  dimension, 4 bytes big-endian, then one ordered double each
///     map         58  for each key in order: 01, the key like a string's body, the encoded value;
///                     then 00
///     max key     5C
///
/// An *ordered double* is the IEEE bit pattern big-endian with the sign bit flipped, or all bits if
/// it was set; -0 is written as 0 and NaN, where one may occur, as eight 00 bytes, before -infinity.
///
/// A *number*, integer or double, is written as one exact real number: the largest double that is
/// not above it, as an ordered double. Only if that double's magnitude is 2^53 or more, the
/// remainder follows (0 ... 1,023) as 2 bytes big-endian. Doubles remain 0, so integers fall
/// exactly between their neighbouring doubles.
///
/// A *decimal* that is no such number is written as the largest one below it, then FF, then itself: the
/// exponent of its first digit plus 8,192 in 2 bytes, and its 34 digits as two numbers of 17, 8 bytes
/// each; these 18 bytes are inverted for a negative one. So it falls behind the number below it and
/// before the next.
///
/// But for decimals, no encoding is a prefix of another, so encodings may be concatenated and still
/// compare value by value. A decimal begins with the encoding of the number below it. That keeps
/// the order too, because no value, key, end or name begins with FF, nor with 00 where values are
/// inverted: the byte behind a number decides. A range of keys that begin with a number therefore
/// begins at 01 and ends before FF (`PositionRange.behindValue`). *Descending*, every byte is
/// inverted. The part of a value in an index ends after `truncationLength` bytes; two values that
/// differ only behind that share their position.
///
/// Equal values encode equally: 3 and 3.0, 0 and -0.0. The lost information, and if the value was
/// truncated, is one `ValueTag` byte beside the key; with it `decode` restores the value.
package enum OrderedEncoding {
  /// The length at which an index cuts a value's encoding: a string of 1,500 bytes is still whole.
  package static let truncationLength = 1_503

  /// The first bytes of encoded values.
  package enum Tag {
    /// Ends arrays, maps and references.
    package static let end: UInt8 = 0x00
    /// Comes before a key of a map.
    package static let key: UInt8 = 0x01
    /// Begins null, which has no body.
    package static let null: UInt8 = 0x08
    /// Begins the min key, which has no body.
    package static let minKey: UInt8 = 0x0C
    /// Begins false, which has no body.
    package static let `false`: UInt8 = 0x10
    /// Begins true, which has no body.
    package static let `true`: UInt8 = 0x11
    /// Begins NaN, which has no body; its payload is not kept.
    package static let nan: UInt8 = 0x18
    /// Begins an integer or a double, 9 or 11 bytes in all.
    package static let number: UInt8 = 0x19
    /// Begins a timestamp, 9 bytes in all.
    package static let timestamp: UInt8 = 0x20
    /// Begins a BSON timestamp, 9 bytes in all.
    package static let bsonTimestamp: UInt8 = 0x24
    /// Begins a string: its bytes escaped, then 00 01.
    package static let string: UInt8 = 0x28
    /// Begins bytes, escaped and ended as a string's are.
    package static let bytes: UInt8 = 0x30
    /// Begins binary data: its subtype, then escaped bytes.
    package static let binary: UInt8 = 0x34
    /// Begins a reference: project, database, path segments, then `end`.
    package static let reference: UInt8 = 0x38
    /// Begins an object ID, 13 bytes in all.
    package static let objectID: UInt8 = 0x3C
    /// Begins a geopoint, 17 bytes in all.
    package static let geoPoint: UInt8 = 0x40
    /// Begins a regular expression: pattern and options, both escaped.
    package static let regex: UInt8 = 0x44
    /// Begins an array: its elements, then `end`.
    package static let array: UInt8 = 0x48
    /// Begins a vector: its dimension in 4 bytes, then 8 bytes for each number.
    package static let vector: UInt8 = 0x50
    /// Begins a map: `key`, a key and a value for each entry, then `end`.
    package static let map: UInt8 = 0x58
    /// Begins the max key, which has no body.
    package static let maxKey: UInt8 = 0x5C
    /// Comes between a number and the decimal above it: greater than any byte behind a whole number.
    package static let decimal: UInt8 = 0xFF
    /// Above every value.
    package static let ceiling: UInt8 = 0x60
  }

  /// Appends a value cut for an index, and says what the bytes do not.
  @discardableResult
  package static func append(
    _ value: Value,
    to bytes: inout [UInt8],
    direction: Order.Direction = .ascending
  ) -> ValueTag {
    let start = bytes.count
    let tag = appendWhole(value, to: &bytes)
    return finish(from: start, tag: tag, direction: direction, in: &bytes)
  }

  /// Appends a value in full, ascending.
  @discardableResult
  package static func appendWhole(_ value: Value, to bytes: inout [UInt8]) -> ValueTag {
    switch value {
    case .null: bytes.append(Tag.null)
    case .boolean(let flag): bytes.append(flag ? Tag.true : Tag.false)
    case .integer(let number): return appendInteger(number, to: &bytes)
    case .double(let number): return appendDouble(number, to: &bytes)
    case .timestamp(let instant): appendTimestamp(instant.microseconds, to: &bytes)
    case .string(let text): text.withBytes { appendString($0, to: &bytes) }
    case .bytes(let content): content.withUnsafeBytes { appendBytes($0, to: &bytes) }
    case .reference(let name): appendReference(name, to: &bytes)
    case .geoPoint(let point):
      return appendGeoPoint(point.latitude, point.longitude, to: &bytes)
    case .array(let elements): return appendArray(elements, to: &bytes)
    case .vector(let numbers): return appendVector(numbers, to: &bytes)
    case .map(let map): return appendMap(map, to: &bytes)
    case .bson(let value): return appendBSON(value, to: &bytes)
    }
    return .exact
  }

  /// Cuts what was appended since `start` to an index's length and turns it to its direction.
  package static func finish(
    from start: Int,
    tag: ValueTag,
    direction: Order.Direction,
    in bytes: inout [UInt8]
  ) -> ValueTag {
    var result = tag
    if bytes.count - start > truncationLength {
      bytes.removeLast(bytes.count - start - truncationLength)
      result = tag.truncated
    }
    if direction == .descending { invert(&bytes, from: start) }
    return result
  }

  /// Inverts every byte from a position on.
  package static func invert(_ bytes: inout [UInt8], from start: Int) {
    bytes.withUnsafeMutableBytes { raw in
      for index in start..<raw.count { raw[index] = ~raw[index] }
    }
  }

  /// The first bytes of all values of the class of this one: `lower ..< upper`, ascending.
  package static func tagRange(of type: Value.TypeOrder) -> Range<UInt8> {
    switch type {
    case .null: Tag.null..<Tag.null + 1
    case .minKey: Tag.minKey..<Tag.minKey + 1
    case .bsonTimestamp: Tag.bsonTimestamp..<Tag.bsonTimestamp + 1
    case .binary: Tag.binary..<Tag.binary + 1
    case .objectID: Tag.objectID..<Tag.objectID + 1
    case .regex: Tag.regex..<Tag.regex + 1
    case .maxKey: Tag.maxKey..<Tag.maxKey + 1
    case .boolean: Tag.false..<Tag.true + 1
    case .nan: Tag.nan..<Tag.nan + 1
    case .number: Tag.number..<Tag.number + 1
    case .timestamp: Tag.timestamp..<Tag.timestamp + 1
    case .string: Tag.string..<Tag.string + 1
    case .bytes: Tag.bytes..<Tag.bytes + 1
    case .reference: Tag.reference..<Tag.reference + 1
    case .geoPoint: Tag.geoPoint..<Tag.geoPoint + 1
    case .array: Tag.array..<Tag.array + 1
    case .vector: Tag.vector..<Tag.vector + 1
    case .map: Tag.map..<Tag.map + 1
    }
  }
}

/// The facts about a value that its encoding does not hold; one byte beside the key.
package struct ValueTag: RawRepresentable, Sendable, Hashable {
  /// The byte that is stored beside the key: a number from 0 to 5, with the highest bit set if the encoding was cut.
  package let rawValue: UInt8

  /// A tag as stored.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The bytes say everything.
  package static let exact = ValueTag(rawValue: 0)
  /// The number was an integer.
  package static let integer = ValueTag(rawValue: 1)
  /// The number was a double (zero: positive).
  package static let double = ValueTag(rawValue: 2)
  /// The number was the double -0.0.
  package static let negativeZero = ValueTag(rawValue: 3)
  /// A NaN with a payload, a number of a BSON type, or a container whose numbers' types or signs of zero are not kept.
  package static let lossy = ValueTag(rawValue: 4)
  /// There is no value; the bytes are those of null.
  package static let absent = ValueTag(rawValue: 5)

  private static let cut: UInt8 = 0x80

  /// The same, and the bytes end before the value does.
  package var truncated: ValueTag { ValueTag(rawValue: rawValue | Self.cut) }

  /// True if the encoding was cut: values may differ although their bytes agree.
  package var isTruncated: Bool { rawValue & Self.cut != 0 }

  /// True if `decode` restores the stored value exactly.
  package var isRestorable: Bool { !isTruncated && self != .lossy && self != .absent }

  /// The tag of a container that holds a value of this tag.
  package var ofContainer: ValueTag { self == .exact ? .exact : .lossy }
}
