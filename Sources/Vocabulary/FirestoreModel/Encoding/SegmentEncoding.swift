import BaseText

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Bytes of ids, paths and field paths whose `memcmp` order is Firestore's order of names.
///
/// - string segment: 0x02, the UTF-8 bytes with 0x00 written as 0x00 0xFF, then 0x00 0x01;
/// - numeric id `__id<int64>__`: 0x01, then the number as 8 bytes big-endian with the sign bit
///   flipped; it sorts before every string;
/// - path: its segments one after the other. `terminator` (0x00) ends one and sorts before any
///   further segment, so a path comes before what lies below it;
/// - field path: every name as a string segment (never numeric), then the terminator.
///
/// A segment ends where its bytes say, so concatenations compare segment by segment. The order is
/// kept when all bytes are inverted, then reversed.
package enum SegmentEncoding {
  /// Ends a path.
  package static let terminator: UInt8 = 0x00
  /// Begins a numeric id.
  package static let numericTag: UInt8 = 0x01
  /// Begins a string id.
  package static let stringTag: UInt8 = 0x02

  /// Appends one id.
  package static func append(_ segment: Text, to bytes: inout [UInt8]) {
    segment.withBytes { append($0, to: &bytes) }
  }

  /// Appends one id given as UTF-8.
  package static func append(_ segment: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    if let number = numericID(segment) {
      bytes.append(numericTag)
      appendBigEndian(UInt64(bitPattern: number) ^ (1 << 63), to: &bytes)
    } else {
      bytes.append(stringTag)
      appendEscaped(segment, to: &bytes)
    }
  }

  /// Appends a path's segments, without the terminator.
  package static func append(_ path: ResourcePath, to bytes: inout [UInt8]) {
    for segment in path.segments { append(segment, to: &bytes) }
  }

  /// Appends a field path with its terminator.
  package static func append(_ path: FieldPath, to bytes: inout [UInt8]) {
    for name in path.segments { name.withBytes { appendFieldName($0, to: &bytes) } }
    bytes.append(terminator)
  }

  /// Appends one name of a field path.
  package static func appendFieldName(_ name: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    bytes.append(stringTag)
    appendEscaped(name, to: &bytes)
  }

  /// Appends bytes with 0x00 escaped, and their end.
  package static func appendEscaped(_ raw: UnsafeRawBufferPointer, to bytes: inout [UInt8]) {
    var rest = raw
    while let base = rest.baseAddress, let zero = memchr(base, 0, rest.count) {
      let length = UnsafeRawPointer(zero) - base + 1
      bytes.append(contentsOf: UnsafeRawBufferPointer(start: base, count: length))
      bytes.append(0xFF)
      rest = UnsafeRawBufferPointer(start: base + length, count: rest.count - length)
    }
    bytes.append(contentsOf: rest)
    bytes.append(0x00)
    bytes.append(0x01)
  }

  /// Reads one id and moves the position behind it; nil at anything else, position unchanged.
  package static func decode(_ bytes: UnsafeRawBufferPointer, at position: inout Int) -> Text? {
    guard position < bytes.count else { return nil }
    var next = position + 1
    let segment: Text
    switch bytes[position] {
    case numericTag:
      guard let bits = readBigEndian(bytes, at: &next) else { return nil }
      segment = Text("__id\(Int64(bitPattern: bits ^ (1 << 63)))__")
    case stringTag:
      guard let text = decodeText(bytes, at: &next) else { return nil }
      segment = text
    default: return nil
    }
    position = next
    return segment
  }

  /// Reads segments until the terminator, which it passes, or the end of the bytes.
  package static func decodePath(
    _ bytes: UnsafeRawBufferPointer,
    at position: inout Int
  ) -> ResourcePath? {
    var segments: [Text] = []
    var next = position
    while next < bytes.count, bytes[next] != terminator {
      guard let segment = decode(bytes, at: &next) else { return nil }
      segments.append(segment)
    }
    position = min(next + 1, bytes.count)
    return ResourcePath(segments)
  }

  /// Reads escaped bytes and passes their end.
  package static func decodeEscaped(
    _ bytes: UnsafeRawBufferPointer,
    at position: inout Int
  ) -> [UInt8]? {
    var result: [UInt8] = []
    var start = position
    var index = position
    while index + 1 < bytes.count {
      guard bytes[index] == 0 else {
        index += 1
        continue
      }
      if bytes[index + 1] == 0x01 {
        result.append(contentsOf: bytes[start..<index])
        position = index + 2
        return result
      }
      guard bytes[index + 1] == 0xFF else { return nil }
      result.append(contentsOf: bytes[start...index])
      index += 2
      start = index
    }
    return nil
  }

  /// Reads escaped UTF-8 and passes its end.
  package static func decodeText(
    _ bytes: UnsafeRawBufferPointer,
    at position: inout Int
  ) -> Text? {
    var next = position
    guard let raw = decodeEscaped(bytes, at: &next),
      let string = String(validating: raw, as: UTF8.self)
    else { return nil }
    position = next
    return Text(string)
  }

  /// The number of `__id<int64>__` spelled without leading zeros or plus sign, else nil.
  package static func numericID(_ id: UnsafeRawBufferPointer) -> Int64? {
    // The shortest is `__id0__`, the longest `__id-9223372036854775808__`.
    guard (7...26).contains(id.count), id[0] == 0x5F, id[1] == 0x5F, id[2] == 0x69, id[3] == 0x64,
      id[id.count - 1] == 0x5F, id[id.count - 2] == 0x5F
    else { return nil }
    return canonicalInteger(UnsafeRawBufferPointer(rebasing: id[4..<(id.count - 2)]))
  }

  private static func canonicalInteger(_ digits: UnsafeRawBufferPointer) -> Int64? {
    guard let first = digits.first else { return nil }
    let negative = first == 0x2D
    let body = digits[(negative ? 1 : 0)...]
    guard let leading = body.first, leading != 0x30 || (body.count == 1 && !negative)
    else { return nil }
    var number: Int64 = 0
    for digit in body {
      guard (0x30...0x39).contains(digit) else { return nil }
      let (shifted, overflow) = number.multipliedReportingOverflow(by: 10)
      let amount = Int64(digit - 0x30)
      let (next, carry) =
        negative
        ? shifted.subtractingReportingOverflow(amount) : shifted.addingReportingOverflow(amount)
      if overflow || carry { return nil }
      number = next
    }
    return number
  }
}

/// Appends 8 bytes, most significant first.
package func appendBigEndian(_ number: UInt64, to bytes: inout [UInt8]) {
  withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
}

/// Reads 8 bytes, most significant first, and passes them; nil where fewer are left.
package func readBigEndian(_ bytes: UnsafeRawBufferPointer, at position: inout Int) -> UInt64? {
  guard position >= 0, bytes.count - position >= 8 else { return nil }
  let number = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
  position += 8
  return number
}
