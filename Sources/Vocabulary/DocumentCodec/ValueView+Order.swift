import BaseText
import FirestoreModel

// Index bytes straight from stored bytes, without building values.

extension ValueView {
  /// Appends the value as an index keeps it (`OrderedEncoding.append`).
  @discardableResult
  package func appendOrdered(
    to bytes: inout [UInt8],
    direction: Order.Direction = .ascending
  ) -> ValueTag {
    let start = bytes.count
    var appender = OrderedAppender(limit: start + OrderedEncoding.truncationLength)
    let tag = appender.append(self, to: &bytes)
    return OrderedEncoding.finish(from: start, tag: tag, direction: direction, in: &bytes)
  }
}

/// Appends values until the limit is passed; what lies behind it would be cut anyway.
private struct OrderedAppender {
  /// A count of bytes that no index key's value goes beyond.
  let limit: Int

  mutating func append(_ view: ValueView, to bytes: inout [UInt8]) -> ValueTag {
    switch view.content {
    case .null: bytes.append(OrderedEncoding.Tag.null)
    case .boolean(let flag):
      bytes.append(flag ? OrderedEncoding.Tag.true : OrderedEncoding.Tag.false)
    case .integer(let number): return OrderedEncoding.appendInteger(number, to: &bytes)
    case .double(let number): return OrderedEncoding.appendDouble(number, to: &bytes)
    case .timestamp(let instant): OrderedEncoding.appendTimestamp(instant, to: &bytes)
    case .string(let text): OrderedEncoding.appendString(head(text), to: &bytes)
    case .bytes(let content): OrderedEncoding.appendBytes(head(content), to: &bytes)
    case .reference(let name): OrderedEncoding.appendReference(validName: name, to: &bytes)
    case .geoPoint(let latitude, let longitude):
      return OrderedEncoding.appendGeoPoint(latitude, longitude, to: &bytes)
    case .array(let array): return append(array: array, to: &bytes)
    case .map(let map): return append(map: map, to: &bytes)
    case .vector(let map): return append(vector: map, to: &bytes)
    case .bson:
      guard case .bson(let value) = view.decoded() else { return .exact }
      return OrderedEncoding.appendBSON(value, to: &bytes)
    }
    return .exact
  }

  /// As much of a string as can be within the limit, and enough to be beyond it if the string is.
  private func head(_ content: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    let kept = min(content.count, OrderedEncoding.truncationLength + 1)
    return UnsafeRawBufferPointer(rebasing: content[..<kept])
  }

  private mutating func append(
    array: UnsafeRawBufferPointer,
    to bytes: inout [UInt8]
  ) -> ValueTag {
    var tag = ValueTag.exact
    bytes.append(OrderedEncoding.Tag.array)
    var elements = ElementIterator(array)
    while bytes.count <= limit, let element = elements.next() {
      if append(element, to: &bytes).ofContainer == .lossy { tag = .lossy }
    }
    bytes.append(OrderedEncoding.Tag.end)
    return tag
  }

  private mutating func append(
    map: UnsafeRawBufferPointer,
    to bytes: inout [UInt8]
  ) -> ValueTag {
    var tag = ValueTag.exact
    bytes.append(OrderedEncoding.Tag.map)
    for (key, value) in sortedEntries(of: map) where bytes.count <= limit {
      OrderedEncoding.appendKey(key, to: &bytes)
      if append(ValueView(value), to: &bytes).ofContainer == .lossy { tag = .lossy }
    }
    bytes.append(OrderedEncoding.Tag.end)
    return tag
  }

  private func append(
    vector map: UnsafeRawBufferPointer,
    to bytes: inout [UInt8]
  ) -> ValueTag {
    guard let vector = VectorView(map: map) else { return .exact }
    var tag = ValueTag.exact
    OrderedEncoding.appendVectorHead(dimension: vector.dimension, to: &bytes)
    for index in 0..<vector.dimension where bytes.count <= limit {
      if OrderedEncoding.appendVectorComponent(vector[index], to: &bytes) == .lossy {
        tag = .lossy
      }
    }
    return tag
  }
}

/// A stored map's entries in the order of their keys.
func sortedEntries(
  of map: UnsafeRawBufferPointer
) -> [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] {
  var result: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] = []
  var isSorted = true
  var entries = EntryIterator(map, field: 1)
  while let entry = entries.next() {
    if let last = result.last, compareBytes(last.key, entry.key) != .ascending {
      isSorted = false
    }
    result.append(entry)
  }
  if !isSorted { result.sort { compareBytes($0.key, $1.key) == .ascending } }
  return result
}
