// The parts of an encoded value, complete and ascending; also for callers that have a value's parts
// without the value.

extension OrderedEncoding {
  /// Appends an integer.
  package static func appendInteger(_ number: Int64, to bytes: inout [UInt8]) -> ValueTag {
    let below = doubleNotAbove(number)
    bytes.append(Tag.number)
    appendBigEndian(orderedBits(below), to: &bytes)
    if abs(below) >= 0x1p53 {
      appendRemainder(UInt16(truncatingIfNeeded: number &- integer(exactly: below)), to: &bytes)
    }
    return .integer
  }

  /// Appends a double; NaN has a tag of its own, which does not keep a payload.
  package static func appendDouble(_ number: Double, to bytes: inout [UInt8]) -> ValueTag {
    if number.isNaN {
      bytes.append(Tag.nan)
      return number.bitPattern == Double.nan.bitPattern ? .exact : .lossy
    }
    bytes.append(Tag.number)
    appendBigEndian(orderedBits(number), to: &bytes)
    if abs(number) >= 0x1p53 { appendRemainder(0, to: &bytes) }
    return number == 0 && number.sign == .minus ? .negativeZero : .double
  }

  /// Appends a timestamp given in microseconds since the epoch.
  package static func appendTimestamp(_ microseconds: Int64, to bytes: inout [UInt8]) {
    bytes.append(Tag.timestamp)
    appendBigEndian(UInt64(bitPattern: microseconds) ^ (1 << 63), to: &bytes)
  }

  /// Appends a string given as UTF-8.
  package static func appendString(_ text: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes.append(Tag.string)
    SegmentEncoding.appendEscaped(text, to: &bytes)
  }

  /// Appends a byte string.
  package static func appendBytes(_ content: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes.append(Tag.bytes)
    SegmentEncoding.appendEscaped(content, to: &bytes)
  }

  /// Appends a reference.
  package static func appendReference(_ name: DocumentName, to bytes: inout [UInt8]) {
    bytes.append(Tag.reference)
    name.database.project.withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
    name.database.database.withBytes { SegmentEncoding.appendEscaped($0, to: &bytes) }
    SegmentEncoding.append(name.path, to: &bytes)
    bytes.append(Tag.end)
  }

  /// Appends a reference given as the bytes of a valid name, `projects/p/databases/d/documents/…`.
  package static func appendReference(
    validName name: UnsafeRawBufferPointer,
    to bytes: inout [UInt8]
  ) {
    bytes.append(Tag.reference)
    var start = 0
    var part = 0
    while start <= name.count {
      let end = name[start...].firstIndex(of: UInt8(ascii: "/")) ?? name.count
      let piece = UnsafeRawBufferPointer(rebasing: name[start..<end])
      // 0 `projects`, 1 project, 2 `databases`, 3 database, 4 `documents`, then the path.
      if part == 1 || part == 3 {
        SegmentEncoding.appendEscaped(piece, to: &bytes)
      } else if part > 4 {
        SegmentEncoding.append(piece, to: &bytes)
      }
      part += 1
      start = end + 1
    }
    bytes.append(Tag.end)
  }

  /// Appends a point.
  package static func appendGeoPoint(
    _ latitude: Double,
    _ longitude: Double,
    to bytes: inout [UInt8]
  ) -> ValueTag {
    bytes.append(Tag.geoPoint)
    appendBigEndian(orderedBits(latitude), to: &bytes)
    appendBigEndian(orderedBits(longitude), to: &bytes)
    return isNegativeZero(latitude) || isNegativeZero(longitude) ? .lossy : .exact
  }

  /// Appends what comes before a vector's components.
  package static func appendVectorHead(dimension: Int, to bytes: inout [UInt8]) {
    bytes.append(Tag.vector)
    withUnsafeBytes(of: UInt32(clamping: dimension).bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// Appends one component of a vector.
  package static func appendVectorComponent(
    _ number: Double,
    to bytes: inout [UInt8]
  ) -> ValueTag {
    appendBigEndian(orderedBits(number), to: &bytes)
    return isNegativeZero(number) ? .lossy : .exact
  }

  /// Appends a map's key; its value follows.
  package static func appendKey(_ key: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes.append(Tag.key)
    SegmentEncoding.appendEscaped(key, to: &bytes)
  }

  static func appendArray(_ elements: [Value], to bytes: inout [UInt8]) -> ValueTag {
    var tag = ValueTag.exact
    bytes.append(Tag.array)
    for element in elements where appendWhole(element, to: &bytes).ofContainer == .lossy {
      tag = .lossy
    }
    bytes.append(Tag.end)
    return tag
  }

  static func appendVector(_ numbers: [Double], to bytes: inout [UInt8]) -> ValueTag {
    var tag = ValueTag.exact
    appendVectorHead(dimension: numbers.count, to: &bytes)
    for number in numbers where appendVectorComponent(number, to: &bytes) == .lossy {
      tag = .lossy
    }
    return tag
  }

  static func appendMap(_ map: MapValue, to bytes: inout [UInt8]) -> ValueTag {
    var tag = ValueTag.exact
    bytes.append(Tag.map)
    for entry in map.entries {
      entry.key.withBytes { appendKey($0, to: &bytes) }
      if appendWhole(entry.value, to: &bytes).ofContainer == .lossy { tag = .lossy }
    }
    bytes.append(Tag.end)
    return tag
  }
}

/// The bit pattern whose unsigned order is the numeric order; NaN first, both zeros alike.
func orderedBits(_ number: Double) -> UInt64 {
  if number.isNaN { return 0 }
  if number == 0 { return 1 << 63 }
  let bits = number.bitPattern
  return bits & (1 << 63) == 0 ? bits | (1 << 63) : ~bits
}

/// Returns the number that `orderedBits` was made from, zero being positive.
func doubleOfOrderedBits(_ bits: UInt64) -> Double {
  if bits == 0 { return .nan }
  return Double(bitPattern: bits & (1 << 63) != 0 ? bits ^ (1 << 63) : ~bits)
}

/// The largest double that is not above the integer.
private func doubleNotAbove(_ number: Int64) -> Double {
  let nearest = Double(number)
  return compareNumbers(number, nearest) == .ascending ? nearest.nextDown : nearest
}

/// The integer of a double that `doubleNotAbove` returned.
private func integer(exactly number: Double) -> Int64 { Int64(number) }

private func isNegativeZero(_ number: Double) -> Bool { number == 0 && number.sign == .minus }

private func appendRemainder(_ remainder: UInt16, to bytes: inout [UInt8]) {
  bytes.append(UInt8(truncatingIfNeeded: remainder >> 8))
  bytes.append(UInt8(truncatingIfNeeded: remainder))
}
