import Foundation
import KeyValueRocksDB
import ModelTestSupport
import Testing

@Suite("The data directory")
struct DataDirectoryTests {
  @Test
  func `is made with its parents for its owner alone and names its format`() throws {
    let scratch = try Scratch()
    let nested = scratch.path + "/a/b/store"
    try RocksDBEngine(directory: nested).close()
    for path in [nested, scratch.path + "/a"] {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      #expect(attributes[.posixPermissions] as? Int == 0o700)
    }
    #expect(try String(contentsOfFile: nested + "/FORMAT", encoding: .utf8) == "brasa-rocksdb 1\n")
  }

  @Test
  func `of a newer format is refused untouched`() throws {
    let scratch = try Scratch()
    try scratch.open().close()
    try scratch.write("FORMAT", bytes("brasa-rocksdb 2\n"))
    let before = try scratch.files()
    let error = try #require(code { _ = try scratch.open() })
    #expect(error.code == .newerFormat)
    #expect(error.message.contains("format 2"))
    try #expect(scratch.files() == before)
  }

  @Test
  func `that is refused has nothing opened beside it`() throws {
    let scratch = try Scratch()
    var calls = 0
    try RocksDBEngine(directory: scratch.data) { calls += 1 }.close()
    #expect(calls == 1)
    try scratch.write("FORMAT", bytes("brasa-rocksdb 2\n"))
    let error = code { _ = try RocksDBEngine(directory: scratch.data) { calls += 1 } }
    #expect(error?.code == .newerFormat)
    #expect(calls == 1)
  }

  @Test
  func `with an unreadable format is refused`() throws {
    let scratch = try Scratch()
    try scratch.open().close()
    try scratch.write("FORMAT", bytes("brasa-rocksdb\n"))
    #expect(code { _ = try scratch.open() }?.code == .corruption)
  }

  @Test
  func `with foreign files is refused untouched`() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(
      atPath: scratch.data,
      withIntermediateDirectories: true
    )
    try scratch.write("letter.txt", bytes("dear"))
    #expect(code { _ = try scratch.open() }?.code == .foreign)
    try #expect(scratch.files() == ["letter.txt": bytes("dear")])
  }

  @Test
  func `opens after a start that was cut off before the format was written`() throws {
    let scratch = try Scratch()
    try FileManager.default.createDirectory(
      atPath: scratch.data,
      withIntermediateDirectories: true
    )
    try scratch.write("FORMAT.new", bytes("bra"))
    let engine = try scratch.open()
    try engine.put("a", [1])
    try engine.close()
  }

  @Test
  func `is held by one engine at a time`() throws {
    let scratch = try Scratch()
    let first = try scratch.open()
    let error = try #require(code { _ = try scratch.open() })
    #expect(error.code == .locked)
    #expect(error.message.contains("in use"))
    try first.put("a", [1])
    try first.close()
  }

  @Test
  func `without its file CURRENT is refused untouched once it has data`() throws {
    let scratch = try Scratch()
    let engine = try scratch.open()
    try engine.put("a", [1])
    try engine.close()
    try FileManager.default.removeItem(atPath: scratch.data + "/CURRENT")
    let before = try scratch.files()
    let error = try #require(code { _ = try scratch.open() })
    #expect(error.code == .corruption)
    #expect(error.metadata["file"]?.hasSuffix("/CURRENT") == true)
    try #expect(scratch.files() == before)
  }

  /// A cursor comes to each of the tables from the one before.
  @Test
  func `with a damaged table among many is never walked past it`() throws {
    let scratch = try Scratch()
    var configuration = RocksDBConfiguration()
    configuration.writeBufferBytes = 64 << 10
    configuration.tableBytes = 64 << 10
    let engine = try RocksDBEngine(directory: scratch.data, configuration: configuration)
    for number in 100..<500 {
      var random = SeededSource(seed: UInt64(number))
      try engine.put("key-\(number)", (0..<1_000).map { _ in .random(in: 0...255, using: &random) })
    }
    try engine.close()
    let tables = try scratch.names(".sst")
    #expect(tables.count > 4)
    for table in tables {
      let copy = try scratch.crashed()
      let whole = try copy.read(table)
      // The footer stays, so that the start takes the table for one.
      let damaged = whole.dropLast(100).map { $0 ^ 0x10 } + whole.suffix(100)
      try copy.write(table, damaged)
      #expect(code { _ = try RocksDBEngine(directory: copy.data).contents() } != nil)
    }
  }

  @Test
  func `with a damaged table says which file it is`() throws {
    let scratch = try Scratch()
    let engine = try scratch.open()
    for key in 0..<500 {
      try engine.put("key-\(key)", bytes("value of \(key)"))
    }
    try engine.close()
    let table = try #require(scratch.names(".sst").last)
    var damaged = try scratch.read(table)
    for index in stride(from: 20, to: min(2_000, damaged.count / 2), by: 50) {
      damaged[index] ^= 0x10
    }
    try scratch.write(table, damaged)
    let error = try #require(code { _ = try scratch.open().contents() })
    #expect(error.code == .corruption)
    #expect(error.message.contains(table))
  }
}
