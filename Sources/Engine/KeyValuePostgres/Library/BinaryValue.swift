import KeyValueStore

/// Parameters in PostgreSQL's binary form.
enum BinaryValue {
  /// A `bigint`.
  static func number(_ number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// A `bigint` of a result.
  static func number(_ bytes: UnsafeRawBufferPointer) throws(KeyValueError) -> Int64 {
    guard bytes.count == 8 else {
      throw KeyValueError(.corruption, "PostgreSQL returned no number where one is required")
    }
    return Int64(bigEndian: bytes.loadUnaligned(as: Int64.self))
  }

  /// A `boolean`.
  static func flag(_ flag: Bool) -> [UInt8] { [flag ? 1 : 0] }

  /// An array of `bytea`.
  ///
  /// The dimensions, whether there are NULLs, the type, the count and the first index; then each element behind
  /// its length. All numbers have four bytes, the highest first.
  static func array(_ elements: [[UInt8]]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(elements.reduce(20) { $0 + 4 + $1.count })
    append(elements.isEmpty ? 0 : 1, to: &bytes)
    append(0, to: &bytes)
    append(byteaType, to: &bytes)
    guard !elements.isEmpty else { return bytes }
    append(Int32(elements.count), to: &bytes)
    append(1, to: &bytes)
    for element in elements {
      append(Int32(element.count), to: &bytes)
      bytes += element
    }
    return bytes
  }

  private static func append(_ number: Int32, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.bigEndian) { bytes.append(contentsOf: $0) }
  }

  /// The server's number of the type `bytea`.
  private static let byteaType: Int32 = 17
}
