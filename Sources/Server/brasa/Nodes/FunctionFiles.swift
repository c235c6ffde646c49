import FunctionHost
import KeyValueStore

// The keys of functions' files: 0xC0, the first byte of `KeyOwner.nodes`, then 0x04 and the byte of a kind.
//
//   0x00 mark                                        there once a file was kept
//   0x01 file    path in UTF-8                       the digest (32 bytes), 1 for a program and 0 for another file
//   0x02 bytes   digest, number (4 bytes)            up to 256 KiB of a file's bytes
//
// The bytes of new files are written first. One group then makes the files those of a deployment,
// and unreferenced bytes go last. So a crash leaves either the old or the new state, and at most
// bytes without a file, which the next change removes.

/// The files of functions in a store that outlives the machine.
struct FunctionFiles: SharedFunctionFiles {
  let engine: any KeyValueEngine

  private static let prefix = [KeyOwner.nodes.firstBytes.lowerBound, 0x04]
  private static let mark = prefix + [0x00]
  private static let files = prefix + [0x01]
  private static let contents = prefix + [0x02]
  private static let partBytes = 256 << 10

  func list() throws -> [String: SharedFile]? {
    try engine.read { try Self.list(in: $0) }
  }

  private static func list(in reader: any KeyValueReader) throws -> [String: SharedFile]? {
    guard try reader.get(mark) != nil else { return nil }
    var found: [String: SharedFile] = [:]
    let cursor = try reader.cursor(over: KeyRange(prefix: files), reversed: false)
    while try cursor.next() {
      let (path, value) = (cursor.key.dropFirst(files.count), Array(cursor.value))
      guard value.count == 33 else {
        throw KeyValueError(.corruption, "the record of a function's file is damaged")
      }
      found[String(decoding: path, as: UTF8.self)] = SharedFile(
        digest: Array(value[..<32]),
        isExecutable: value[32] == 1
      )
    }
    return found
  }

  func read(_ file: SharedFile) throws -> [UInt8] {
    try engine.read { reader in
      let range = KeyRange(prefix: Self.contents + file.digest)
      let cursor = try reader.cursor(over: range, reversed: false)
      var bytes: [UInt8] = []
      var isThere = false
      while try cursor.next() {
        isThere = true
        // The first byte says that there are some, as no value is empty.
        bytes += cursor.value.dropFirst()
      }
      guard isThere else {
        throw KeyValueError(.corruption, "the bytes of a function's file are missing")
      }
      return bytes
    }
  }

  func replace(_ wanted: [String: SharedFile], bytes: (String) throws -> [UInt8]) throws {
    let before = try list()
    guard before != wanted else { return }
    var known = Set((before ?? [:]).values.map(\.digest))
    for (path, file) in wanted where known.insert(file.digest).inserted {
      try write(try bytes(path), of: file)
    }
    try engine.write { group in
      try group.putMarker(Self.mark)
      for (path, file) in wanted where before?[path] != file {
        try group.put(Self.files + Array(path.utf8), file.digest + [file.isExecutable ? 1 : 0])
      }
      for path in (before ?? [:]).keys where wanted[path] == nil {
        try group.delete(Self.files + Array(path.utf8))
      }
    }
    try removeUnused(Set(wanted.values.map(\.digest)))
  }

  private func write(_ bytes: [UInt8], of file: SharedFile) throws {
    var (start, number) = (0, UInt32(0))
    repeat {
      let end = min(bytes.count, start + Self.partBytes)
      let key = Self.contents + file.digest + withUnsafeBytes(of: number.bigEndian) { Array($0) }
      try engine.write { try $0.put(key, [1] + bytes[start..<end]) }
      (start, number) = (end, number + 1)
    } while start < bytes.count
  }

  private func removeUnused(_ used: Set<[UInt8]>) throws {
    let unused = try engine.read { reader in
      let cursor = try reader.cursor(over: KeyRange(prefix: Self.contents), reversed: false)
      var keys: [[UInt8]] = []
      while try cursor.next() {
        let digest = Array(cursor.key.dropFirst(Self.contents.count).prefix(32))
        if !used.contains(digest) { keys.append(Array(cursor.key)) }
      }
      return keys
    }
    guard !unused.isEmpty else { return }
    try engine.write { group in for key in unused { try group.delete(key) } }
  }
}
