import Checksums

/// Records in the form that `ExportRecords` reads: LevelDB's log.
package struct ExportRecordWriter {
  /// The bytes that were made and not taken.
  package private(set) var pending: [UInt8] = []
  /// The number of bytes so far.
  package private(set) var size = 0

  /// A writer at the beginning of a file.
  package init() {}

  /// Appends a record.
  package mutating func append(_ record: [UInt8]) {
    var rest = record[...]
    var isFirst = true
    repeat {
      var room = ExportRecords.blockBytes - size % ExportRecords.blockBytes
      if room < ExportRecords.headerBytes {
        put(Array(repeating: 0, count: room))
        room = ExportRecords.blockBytes
      }
      let part = rest.prefix(room - ExportRecords.headerBytes)
      rest = rest.dropFirst(part.count)
      let type: UInt8 =
        switch (isFirst, rest.isEmpty) {
        case (true, true): 1
        case (true, false): 2
        case (false, false): 3
        case (false, true): 4
        }
      put(part, type)
      isFirst = false
    } while !rest.isEmpty
  }

  /// Takes the pending bytes.
  package mutating func take() -> [UInt8] {
    defer { pending = [] }
    return pending
  }

  private mutating func put(_ part: ArraySlice<UInt8>, _ type: UInt8) {
    let typed = [type] + part
    let sum = typed.withUnsafeBytes { ExportRecords.mask($0) }
    var header = (0..<4).map { UInt8(truncatingIfNeeded: sum >> (8 * $0)) }
    header.append(UInt8(truncatingIfNeeded: part.count))
    header.append(UInt8(truncatingIfNeeded: part.count >> 8))
    put(header)
    put(typed)
  }

  private mutating func put(_ bytes: [UInt8]) {
    pending.append(contentsOf: bytes)
    size += bytes.count
  }
}
