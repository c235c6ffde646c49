import BaseStatus
import Foundation
import Gzip

/// Reads the files of a zip archive (APPNOTE 6.3.10) that a client uploaded, and trusts nothing in it.
///
/// The central directory at the archive's end counts: each entry has its method (stored or
/// deflated), its sizes, its CRC-32 and the offset of its local header, whose own sizes are
/// ignored. The reader refuses encrypted entries, other methods, ZIP64, names that lead out of the
/// folder, links, duplicate names, a file that is a folder of another, and more bytes or files than
/// a source may have.
struct ZipArchive {
  private struct Entry {
    let path: String
    let isDeflated: Bool
    let checksum: UInt32
    let packed: Int
    let size: Int
    let offset: Int
    let isExecutable: Bool
  }

  private let bytes: [UInt8]

  /// The files of an archive, in its order; folders are left out.
  ///
  /// Throws INVALID_ARGUMENT that names the entry.
  static func files(of bytes: [UInt8]) throws(ServiceError) -> [SourceTree.File] {
    let archive = ZipArchive(bytes: bytes)
    var files: [SourceTree.File] = []
    for entry in try archive.entries() {
      files.append(
        SourceTree.File(
          path: entry.path,
          bytes: Data(try archive.content(of: entry)),
          isExecutable: entry.isExecutable
        )
      )
    }
    return files
  }

  // MARK: The central directory

  private func entries() throws(ServiceError) -> [Entry] {
    let end = try endRecord()
    let count = number16(end + 10)
    let start = number32(end + 16)
    guard number16(end + 8) == count, number16(end + 4) == 0, start <= end else {
      throw Self.damaged("it has several parts or is in ZIP64 format")
    }
    guard count <= SourceTree.mostFiles else { throw SourceTree.tooLarge }
    var entries: [Entry] = []
    var (position, size, packed) = (start, 0, 0)
    for _ in 0..<count {
      guard position + 46 <= end, number32(position) == 0x0201_4B50 else {
        throw Self.damaged("its list of files is damaged")
      }
      let names = number16(position + 28)
      let next = position + 46 + names + number16(position + 30) + number16(position + 32)
      guard next <= end else { throw Self.damaged("its list of files is damaged") }
      if let entry = try entry(at: position, names) {
        (size, packed) = (size + entry.size, packed + entry.packed)
        // Entries that lie over each other would expand the same bytes again and again.
        guard size <= SourceTree.mostBytes else { throw SourceTree.tooLarge }
        guard packed <= bytes.count else { throw Self.damaged("its files overlap") }
        entries.append(entry)
      }
      position = next
    }
    try Self.checkNames(entries.map(\.path))
    return entries
  }

  /// The position of the last record, behind which only a comment comes.
  private func endRecord() throws(ServiceError) -> Int {
    var position = bytes.count - 22
    let first = max(0, position - 65_535)
    while position >= first {
      if number32(position) == 0x0605_4B50, position + 22 + number16(position + 20) == bytes.count {
        return position
      }
      position -= 1
    }
    throw Self.damaged("it has no end")
  }

  private func entry(at position: Int, _ names: Int) throws(ServiceError) -> Entry? {
    let name = bytes[(position + 46)..<(position + 46 + names)]
    guard let path = String(validating: name, as: UTF8.self), !path.isEmpty else {
      throw Self.damaged("a name in it is not valid UTF-8")
    }
    if path.utf8.last == UInt8(ascii: "/") { return nil }
    guard Self.isSafe(path) else {
      throw Self.damaged("\"\(path.prefix(100))\" leads out of the folder")
    }
    let method = number16(position + 10)
    guard number16(position + 8) & 1 == 0, method == 0 || method == 8 else {
      throw Self.damaged(
        "\(path.prefix(100)) is encrypted, or compressed with an unsupported method"
      )
    }
    let mode = number32(position + 38) >> 16
    // The kind of a file of Unix; other systems write none.
    guard [0, 0o100_000].contains(mode & 0o170_000) else {
      throw Self.damaged("\(path.prefix(100)) is a link or a device. Replace it with the file")
    }
    return Entry(
      path: path,
      isDeflated: method == 8,
      checksum: UInt32(number32(position + 16)),
      packed: number32(position + 20),
      size: number32(position + 24),
      offset: number32(position + 42),
      isExecutable: mode & 0o100 != 0
    )
  }

  private static func isSafe(_ path: String) -> Bool {
    guard path.utf8.count <= 1_000, !path.utf8.contains(where: { $0 < 0x20 || $0 == 0x5C }) else {
      return false
    }
    // By bytes, as the system reads it: a slash and a combining mark behind it are one character.
    let names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return names.allSatisfy { name in
      !name.isEmpty && !name.elementsEqual(".".utf8) && !name.elementsEqual("..".utf8)
        && name.count <= 255
    }
  }

  private static func checkNames(_ paths: [String]) throws(ServiceError) {
    let known = Set(paths)
    guard known.count == paths.count else { throw damaged("it contains a file twice") }
    for path in paths {
      var parent = path.utf8[...]
      while let slash = parent.lastIndex(of: UInt8(ascii: "/")) {
        parent = parent[..<slash]
        guard !known.contains(String(Substring(parent))) else {
          throw damaged("\(String(Substring(parent)).prefix(100)) is both a file and a folder")
        }
      }
    }
  }

  // MARK: Contents

  private func content(of entry: Entry) throws(ServiceError) -> [UInt8] {
    let isThere = entry.offset + 30 <= bytes.count && number32(entry.offset) == 0x0403_4B50
    let start =
      isThere
      ? entry.offset + 30 + number16(entry.offset + 26) + number16(entry.offset + 28) : bytes.count
    guard isThere, start + entry.packed <= bytes.count else {
      throw Self.damaged("\(entry.path.prefix(100)) is cut off")
    }
    let packed = bytes[start..<(start + entry.packed)]
    // As gzip, whose reader checks the sum and the size.
    var member: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255]
    if entry.isDeflated { member += packed } else { Self.appendStored(packed, to: &member) }
    for number in [entry.checksum, UInt32(truncatingIfNeeded: entry.size)] {
      for shift in [0, 8, 16, 24] { member.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    do throws(GzipReader.Problem) {
      let content = try GzipReader.unpacked(member, limit: Int64(entry.size))
      guard content.count == entry.size else { throw GzipReader.Problem.damaged }
      return content
    } catch {
      throw Self.damaged("\(entry.path.prefix(100)) does not expand to its size and checksum")
    }
  }

  /// Appends bytes as blocks of deflate that are not packed.
  private static func appendStored(_ packed: ArraySlice<UInt8>, to member: inout [UInt8]) {
    var rest = packed
    repeat {
      let block = rest.prefix(65_535)
      rest = rest.dropFirst(block.count)
      let count = UInt16(block.count)
      member.append(rest.isEmpty ? 1 : 0)
      for number in [count, ~count] {
        member += [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)]
      }
      member += block
    } while !rest.isEmpty
  }

  private func number16(_ position: Int) -> Int {
    Int(bytes[position]) | Int(bytes[position + 1]) << 8
  }

  private func number32(_ position: Int) -> Int {
    number16(position) | number16(position + 2) << 16
  }

  private static func damaged(_ reason: String) -> ServiceError {
    .invalidArgument("The uploaded archive can't be read: \(reason).")
  }
}
