import BaseStatus
import Checksums

/// The records of a file of a managed export, which is in the form of LevelDB's log.
///
/// A file is blocks of 32 KiB. A record is one or more parts, none of which crosses the end of a
/// block. A part is a masked CRC-32C of type and bytes (4 bytes, little-endian), the length (2
/// bytes), the type (1 whole, 2 first, 3 middle, 4 last), and the bytes. The rest of a block that
/// has no room for a header is zero. One record is in memory at a time.
package struct ExportRecords {
  /// Reads the next bytes of the file; fewer than asked for only at its end.
  package typealias Read = (_ count: Int) throws -> [UInt8]

  static let blockBytes = 32_768
  static let headerBytes = 7
  /// No entity of Firestore is larger than a mebibyte; a longer one is damage.
  private static let largest = 16 << 20

  private let name: String
  private let read: Read
  private var block: [UInt8] = []
  private var position = 0
  private var blocks = 0

  /// The records of a file of that name.
  package init(_ name: String, read: @escaping Read) {
    self.name = name
    self.read = read
  }

  /// The next record; nil behind the last.
  ///
  /// DATA_LOSS with the place where the file is damaged or ends in the middle of a record.
  package mutating func next() throws -> [UInt8]? {
    var record: [UInt8] = []
    var isBegun = false
    while let (type, part) = try nextPart() {
      switch (type, isBegun) {
      case (1, false): return Array(part)
      case (2, false):
        record = Array(part)
        isBegun = true
      case (3, true), (4, true):
        record += part
        guard record.count <= Self.largest else { throw damage("has a record that is too long") }
        if type == 4 { return record }
      default: throw damage("has a part that belongs to no record")
      }
    }
    guard !isBegun else { throw damage("ends in the middle of a record") }
    return nil
  }

  private mutating func nextPart() throws -> (type: UInt8, bytes: ArraySlice<UInt8>)? {
    while true {
      if block.count - position < Self.headerBytes {
        guard block[position...].allSatisfy({ $0 == 0 }) else {
          throw damage("ends in the middle of a record")
        }
        block = try read(Self.blockBytes)
        position = 0
        if block.isEmpty { return nil }
        blocks += 1
        continue
      }
      let length = Int(block[position + 4]) | Int(block[position + 5]) << 8
      let type = block[position + 6]
      // A tail of zeros is no part.
      if type == 0, length == 0 {
        guard block[position...].allSatisfy({ $0 == 0 }) else { throw damage("is damaged") }
        position = block.count
        continue
      }
      let start = position + Self.headerBytes
      guard start + length <= block.count else { throw damage("ends in the middle of a record") }
      guard isSound(from: position, to: start + length) else {
        throw damage("is damaged: a checksum does not match its bytes")
      }
      position = start + length
      return (type, block[start..<position])
    }
  }

  /// Returns true if a part has the checksum that its header says.
  private func isSound(from header: Int, to end: Int) -> Bool {
    block.withUnsafeBytes { bytes in
      let sum = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: header, as: UInt32.self))
      let typed = bytes[(header + Self.headerBytes - 1)..<end]
      return Self.mask(UnsafeRawBufferPointer(rebasing: typed)) == sum
    }
  }

  /// The masked checksum of a part with its type before it.
  static func mask(_ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let crc = CRC32C.value(of: bytes)
    return (crc >> 15 | crc << 17) &+ 0xA282_EAD8
  }

  private func damage(_ text: String) -> ServiceError {
    let place = max(blocks - 1, 0) * Self.blockBytes + position
    return ServiceError(.dataLoss, "\(name) \(text), at byte \(place).")
  }
}
