import BaseText
import DocumentCodec
import FirestoreModel

/// Every indexable value of a document with its field path, encoded once for all maintainers.
struct IndexedValues {
  /// One value of a field, or one element of its array.
  struct Item {
    /// The field's names in the buffer, encoded, without the terminator that follows.
    let path: Range<Int>
    /// The value in the buffer, encoded ascending and cut to an index's length.
    let value: Range<Int>
    let tag: ValueTag
  }

  private var buffer: [UInt8] = []
  /// Every field at any depth of maps, maps themselves included.
  private(set) var values: [Item] = []
  /// The distinct elements of every array field.
  private(set) var elements: [Item] = []

  var count: Int { values.count + elements.count }

  /// Encodes a document's values.
  init(_ fields: DocumentFields) {
    buffer.reserveCapacity(2 * fields.bytes.count + 64)
    values.reserveCapacity(16)
    fields.forEachIndexedValue { path, view in
      let start = buffer.count
      buffer.append(contentsOf: path)
      let range = start..<(buffer.count - 1)
      let item = encode(view, at: range)
      values.append(item)
      if buffer[item.value.lowerBound] == OrderedEncoding.Tag.array {
        addElements(of: view, at: range)
      }
    }
  }

  /// Lends the bytes that items' ranges are in.
  func withBytes<R>(_ body: (UnsafeRawBufferPointer) -> R) -> R { buffer.withUnsafeBytes(body) }

  /// The value of a field, by its encoded names.
  func value(at path: [UInt8]) -> Item? {
    withBytes { bytes in values.first { isSame(bytes[$0.path], path) } }
  }

  /// The elements of an array field, by its encoded names.
  func elements(at path: [UInt8]) -> [Item] {
    withBytes { bytes in elements.filter { isSame(bytes[$0.path], path) } }
  }

  private func isSame(_ slice: Slice<UnsafeRawBufferPointer>, _ path: [UInt8]) -> Bool {
    slice.count == path.count
      && path.withUnsafeBytes {
        compareBytes(UnsafeRawBufferPointer(rebasing: slice), $0) == .equal
      }
  }

  private mutating func addElements(of array: ValueView, at path: Range<Int>) {
    var items: [Item] = []
    array.forEachElement { items.append(encode($0, at: path)) }
    // Slices share the buffer; one that lived while it grows would have it copied each time.
    var known: Set<ArraySlice<UInt8>> = []
    elements += items.filter { known.insert(buffer[$0.value]).inserted }
  }

  private mutating func encode(_ value: ValueView, at path: Range<Int>) -> Item {
    let start = buffer.count
    let tag = value.appendOrdered(to: &buffer)
    return Item(path: path, value: start..<buffer.count, tag: tag)
  }
}
