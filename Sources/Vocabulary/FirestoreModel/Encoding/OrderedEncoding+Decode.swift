extension OrderedEncoding {
  /// Reads a value that was not cut and moves the position behind it; nil at malformed bytes.
  ///
  /// Without its tag a number comes back as an integer where it is one, else as a double.
  package static func decode(
    _ bytes: UnsafeRawBufferPointer,
    at position: inout Int,
    tag: ValueTag = .exact,
    direction: Order.Direction = .ascending
  ) -> Value? {
    guard position >= 0, position <= bytes.count, !tag.isTruncated else { return nil }
    if direction == .descending {
      let upright = bytes[position...].map { ~$0 }
      var offset = 0
      let value = upright.withUnsafeBytes { decode($0, at: &offset, tag: tag) }
      position += offset
      return value
    }
    var decoder = OrderedDecoder(bytes: bytes, position: position)
    guard let value = decoder.value(depth: 0) else { return nil }
    position = decoder.position
    return restored(value, tag)
  }

  /// Moves the position behind a value, cut or whole; false at malformed bytes.
  package static func skip(
    _ bytes: UnsafeRawBufferPointer,
    at position: inout Int,
    tag: ValueTag = .exact,
    direction: Order.Direction = .ascending
  ) -> Bool {
    if tag.isTruncated {
      guard bytes.count - position >= truncationLength else { return false }
      position += truncationLength
      return true
    }
    let mask: UInt8 = direction == .descending ? 0xFF : 0x00
    var skipper = OrderedSkipper(bytes: bytes, position: position, mask: mask)
    guard skipper.value(depth: 0) else { return false }
    position = skipper.position
    return true
  }

  private static func restored(_ value: Value, _ tag: ValueTag) -> Value {
    switch (value, tag) {
    case (.integer(let number), .double): .double(Double(number))
    case (.integer(0), .negativeZero): .double(-0.0)
    default: value
    }
  }
}

/// Deeper than any stored value (20) and shallow enough for any stack.
private let maximumDepth = 64

private struct OrderedDecoder {
  let bytes: UnsafeRawBufferPointer
  var position: Int

  mutating func byte() -> UInt8? {
    guard position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position]
  }

  mutating func value(depth: Int) -> Value? {
    guard depth < maximumDepth, let tag = byte() else { return nil }
    switch tag {
    case OrderedEncoding.Tag.null: return .null
    case OrderedEncoding.Tag.false: return .boolean(false)
    case OrderedEncoding.Tag.true: return .boolean(true)
    case OrderedEncoding.Tag.nan: return .double(.nan)
    case OrderedEncoding.Tag.number: return number()
    case OrderedEncoding.Tag.timestamp:
      return readBigEndian(bytes, at: &position).map {
        .timestamp(Timestamp(microseconds: Int64(bitPattern: $0 ^ (1 << 63))))
      }
    case OrderedEncoding.Tag.string:
      return SegmentEncoding.decodeText(bytes, at: &position).map { .string($0) }
    case OrderedEncoding.Tag.bytes:
      return SegmentEncoding.decodeEscaped(bytes, at: &position).map { .bytes($0) }
    case OrderedEncoding.Tag.reference: return reference()
    case OrderedEncoding.Tag.geoPoint: return geoPoint()
    case OrderedEncoding.Tag.array: return array(depth: depth)
    case OrderedEncoding.Tag.vector: return vector()
    case OrderedEncoding.Tag.map: return map(depth: depth)
    default: return bson(tag).map { .bson($0) }
    }
  }

  mutating func bson(_ tag: UInt8) -> BSONValue? {
    switch tag {
    case OrderedEncoding.Tag.minKey: return .minKey
    case OrderedEncoding.Tag.maxKey: return .maxKey
    case OrderedEncoding.Tag.objectID:
      guard let high = word(), let middle = word(), let low = word() else { return nil }
      return .objectID(BSONObjectID(high: high, low: UInt64(middle) << 32 | UInt64(low)))
    case OrderedEncoding.Tag.bsonTimestamp:
      guard let seconds = word(), let increment = word() else { return nil }
      return .timestamp(BSONTimestamp(seconds: seconds, increment: increment))
    case OrderedEncoding.Tag.binary:
      guard let subtype = byte(),
        let content = SegmentEncoding.decodeEscaped(bytes, at: &position)
      else { return nil }
      return .binary(subtype: subtype, content)
    case OrderedEncoding.Tag.regex:
      guard let pattern = SegmentEncoding.decodeText(bytes, at: &position),
        let options = SegmentEncoding.decodeText(bytes, at: &position)
      else { return nil }
      return .regex(pattern: pattern, options: options)
    default: return nil
    }
  }

  mutating func word() -> UInt32? {
    guard bytes.count - position >= 4 else { return nil }
    defer { position += 4 }
    return UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self))
  }

  mutating func double() -> Double? {
    readBigEndian(bytes, at: &position).map(doubleOfOrderedBits)
  }

  mutating func number() -> Value? {
    guard let below = double() else { return nil }
    var remainder: Int64 = 0
    if abs(below) >= 0x1p53 {
      guard let high = byte(), let low = byte() else { return nil }
      remainder = Int64(high) << 8 | Int64(low)
    }
    if position < bytes.count, bytes[position] == OrderedEncoding.Tag.decimal {
      position += 1
      return OrderedEncoding.decodeDecimal(bytes, at: &position, isNegative: below < 0)
        .map { .bson(.decimal($0)) }
    }
    guard let whole = Int64(exactly: below) else { return .double(below) }
    return .integer(whole &+ remainder)
  }

  mutating func geoPoint() -> Value? {
    guard let latitude = double(), let longitude = double() else { return nil }
    return .geoPoint(GeoPoint(latitude: latitude, longitude: longitude))
  }

  mutating func reference() -> Value? {
    guard let project = SegmentEncoding.decodeText(bytes, at: &position),
      let database = SegmentEncoding.decodeText(bytes, at: &position),
      let path = SegmentEncoding.decodePath(bytes, at: &position)
    else { return nil }
    let id = DatabaseID(project: project, database: database)
    return .reference(DocumentName(database: id, path: path))
  }

  mutating func array(depth: Int) -> Value? {
    var elements: [Value] = []
    while position < bytes.count, bytes[position] != OrderedEncoding.Tag.end {
      guard let element = value(depth: depth + 1) else { return nil }
      elements.append(element)
    }
    return byte() == nil ? nil : .array(elements)
  }

  mutating func vector() -> Value? {
    guard bytes.count - position >= 4 else { return nil }
    let raw = bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
    let dimension = Int(UInt32(bigEndian: raw))
    position += 4
    guard (bytes.count - position) / 8 >= dimension else { return nil }
    var numbers: [Double] = []
    for _ in 0..<dimension {
      guard let number = double() else { return nil }
      numbers.append(number)
    }
    return .vector(numbers)
  }

  mutating func map(depth: Int) -> Value? {
    var entries: [MapValue.Entry] = []
    while let mark = byte() {
      if mark == OrderedEncoding.Tag.end { return .map(MapValue(entries)) }
      guard mark == OrderedEncoding.Tag.key,
        let key = SegmentEncoding.decodeText(bytes, at: &position),
        let value = value(depth: depth + 1)
      else { return nil }
      entries.append(MapValue.Entry(key: key, value: value))
    }
    return nil
  }
}

/// Finds where a value ends without building it; `mask` turns descending bytes upright.
private struct OrderedSkipper {
  let bytes: UnsafeRawBufferPointer
  var position: Int
  let mask: UInt8

  mutating func byte() -> UInt8? {
    guard position >= 0, position < bytes.count else { return nil }
    defer { position += 1 }
    return bytes[position] ^ mask
  }

  mutating func value(depth: Int) -> Bool {
    guard depth < maximumDepth, let tag = byte() else { return false }
    switch tag {
    case OrderedEncoding.Tag.null, OrderedEncoding.Tag.false, OrderedEncoding.Tag.true,
      OrderedEncoding.Tag.nan, OrderedEncoding.Tag.minKey, OrderedEncoding.Tag.maxKey:
      return true
    case OrderedEncoding.Tag.number: return number()
    case OrderedEncoding.Tag.timestamp, OrderedEncoding.Tag.bsonTimestamp: return advance(8)
    case OrderedEncoding.Tag.objectID: return advance(12)
    case OrderedEncoding.Tag.binary: return advance(1) && escaped()
    case OrderedEncoding.Tag.regex: return escaped() && escaped()
    case OrderedEncoding.Tag.string, OrderedEncoding.Tag.bytes: return escaped()
    case OrderedEncoding.Tag.reference: return reference()
    case OrderedEncoding.Tag.geoPoint: return advance(16)
    case OrderedEncoding.Tag.vector: return vector()
    case OrderedEncoding.Tag.array:
      return untilEnd { mark, skipper in
        skipper.position -= 1
        return skipper.value(depth: depth + 1)
      }
    case OrderedEncoding.Tag.map:
      return untilEnd { mark, skipper in
        mark == OrderedEncoding.Tag.key && skipper.escaped() && skipper.value(depth: depth + 1)
      }
    default: return false
    }
  }

  mutating func advance(_ count: Int) -> Bool {
    guard bytes.count - position >= count else { return false }
    position += count
    return true
  }

  mutating func number() -> Bool {
    guard bytes.count - position >= 8 else { return false }
    let raw = bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self)
    let bits = UInt64(bigEndian: raw) ^ (mask == 0 ? 0 : .max)
    guard advance(abs(doubleOfOrderedBits(bits)) >= 0x1p53 ? 10 : 8) else { return false }
    guard position < bytes.count, bytes[position] ^ mask == OrderedEncoding.Tag.decimal
    else { return true }
    return advance(1 + OrderedEncoding.decimalLength)
  }

  mutating func vector() -> Bool {
    guard bytes.count - position >= 4 else { return false }
    let raw = bytes.loadUnaligned(fromByteOffset: position, as: UInt32.self)
    return advance(4 + 8 * Int(UInt32(bigEndian: raw) ^ (mask == 0 ? 0 : .max)))
  }

  mutating func escaped() -> Bool {
    while let next = byte() {
      if next == 0 { if byte() == 0x01 { return true } }
    }
    return false
  }

  mutating func reference() -> Bool {
    guard escaped(), escaped() else { return false }
    return untilEnd { mark, skipper in
      switch mark {
      case SegmentEncoding.numericTag: skipper.advance(8)
      case SegmentEncoding.stringTag: skipper.escaped()
      default: false
      }
    }
  }

  mutating func untilEnd(_ part: (UInt8, inout OrderedSkipper) -> Bool) -> Bool {
    while let mark = byte() {
      if mark == OrderedEncoding.Tag.end { return true }
      if !part(mark, &self) { return false }
    }
    return false
  }
}
