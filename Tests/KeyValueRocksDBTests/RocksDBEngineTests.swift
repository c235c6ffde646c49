import Foundation
import KeyValueRocksDB
import KeyValueStore
import Synchronization
import Testing

@Suite("The RocksDB engine")
struct RocksDBEngineTests {
  @Test
  func `a checkpoint is an engine's directory and stays as it was`() throws {
    let scratch = try Scratch()
    let engine = try scratch.open()
    try engine.put("a", [1])
    let copy = scratch.path + "/backup"
    try engine.checkpoint(to: copy)
    try engine.put("a", [2])
    let backup = try RocksDBEngine(directory: copy)
    try #expect(backup.value("a") == [1])
    try backup.put("a", [3])
    try backup.close()
    try #expect(engine.value("a") == [2])
    #expect(code { try engine.checkpoint(to: copy) } != nil)
    try engine.close()
  }

  @Test
  func `a clean stop leaves no log to replay`() throws {
    let scratch = try Scratch()
    let engine = try scratch.open()
    try engine.put("a", [UInt8](repeating: 1, count: 50_000))
    try engine.close()
    let logged = try scratch.names(".log").reduce(0) { try $0 + scratch.read($1).count }
    #expect(logged == 0)
  }

  /// A group's writes reach the library by key, and those of one key as they came.
  @Test
  func `of a key that one group writes again and again the last write counts`() throws {
    let scratch = try Scratch()
    var engine = try scratch.open()
    try engine.write { group in
      for round in UInt8(0)..<40 {
        for key in ["m", "c", "x", "a"] {
          try group.put(Array(key.utf8), [round])
          if key == "c" || round % 2 == 1, key != "a" { try group.delete(Array(key.utf8)) }
        }
      }
      try group.putMarker(Array("x".utf8))
    }
    for _ in 0..<2 {
      try #expect(engine.value("a") == [39])
      try #expect(engine.value("c") == nil)
      try #expect(engine.value("m") == nil)
      try #expect(engine.value("x") == [0])
      try engine.close()
      engine = try scratch.open()
    }
    try engine.close()
  }

  /// Options that are set as text would be lost without an error by the next setter.
  @Test
  func `the library took the options that only text can say, beside the others`() throws {
    let scratch = try Scratch()
    try scratch.openDescribed()
    let name = try #require(try scratch.names("").last { $0.hasPrefix("OPTIONS-") })
    let options = String(decoding: try scratch.read(name), as: UTF8.self)
    for line in [
      "max_bgerror_resume_count=0", "top_level_index_pinning=kAll", "block_restart_interval=4",
      "memtable_insert_with_hint_prefix_extractor=rocksdb.FixedPrefix", "paranoid_checks=true",
      "compression_per_level=kNoCompression:kLZ4Compression", "max_file_opening_threads=2",
    ] {
      #expect(options.contains(line), "\(line)")
    }
  }

  /// Lines of a log would meet a full disk, at which the library ends the process.
  @Test
  func `the library writes no texts, and what it leaves unfinished goes at the next start`() throws
  {
    let scratch = try Scratch()
    for _ in 0..<3 {
      let engine = try scratch.open()
      try engine.write { try $0.put([1], [1]) }
      try engine.close()
    }
    let texts = try scratch.files().filter {
      $0.key.hasPrefix("LOG") || $0.key.hasPrefix("OPTIONS-")
    }
    #expect(texts.filter { $0.key.hasPrefix("LOG") }.allSatisfy { $0.value.isEmpty })
    #expect(texts.count <= 4, "\(texts.keys)")
  }

  /// A view of what is not in the cache has to say so, not that it is missing.
  @Test
  func `memory does not answer for what only the disk holds`() throws {
    let scratch = try Scratch()
    var engine = try scratch.open()
    try engine.put("a", [UInt8](repeating: 1, count: 20_000))
    try engine.put("z", [2])
    try engine.close()
    engine = try scratch.open()
    let read: (any KeyValueSnapshot) throws -> [UInt8] = { try $0.get(Array("z".utf8)) ?? [] }
    let walk: (any KeyValueSnapshot) throws -> Bool = { view in
      try view.cursor(over: KeyRange(prefix: Array("z".utf8)), reversed: false).next()
    }
    #expect(try engine.readInMemory(steps: 9, read) == nil)
    #expect(try engine.readInMemory(steps: 9, walk) == nil)
    try #expect(engine.value("z") == [2])
    #expect(try engine.readInMemory(steps: 9, read) == [2])
    #expect(try engine.readInMemory(steps: 9, walk) == true)
    try engine.close()
  }

  @Test
  func `an engine that is dropped without being closed loses nothing`() throws {
    let scratch = try Scratch()
    try scratch.open().put("a", [1])
    let engine = try scratch.open()
    try #expect(engine.value("a") == [1])
    try engine.close()
  }

  @Test
  func `a cached read of a value on the disk is incomplete until it was read`() throws {
    let scratch = try Scratch()
    let engine = try scratch.open()
    // Opening reads the engine's own keys, which sort first: the value lies blocks away.
    for key in 0..<500 {
      try engine.put("key-\(key)", [UInt8](repeating: 0, count: 100))
    }
    try engine.put("z", [1])
    try engine.close()
    let reopened = try scratch.open()
    guard case .incomplete = try reopened.get(bytes("z"), cachedOnly: true) else {
      Issue.record("a block that nobody read was in the cache")
      return
    }
    guard case .found([1]) = try reopened.get(bytes("z"), cachedOnly: false) else {
      Issue.record("the value is gone")
      return
    }
    guard case .found([1]) = try reopened.get(bytes("z"), cachedOnly: true) else {
      Issue.record("a block that was just read is not in the cache")
      return
    }
    guard case .missing = try reopened.get(bytes("b"), cachedOnly: true) else {
      Issue.record("a missing key is not known to be missing")
      return
    }
    try reopened.close()
  }

  /// Earlier versions wrote them, as markers.
  @Test
  func `an empty value that is there already is read, and never known without the disk`() throws {
    let scratch = try Scratch()
    try scratch.open().close()
    try scratch.writeEmptyValue("b")
    var engine = try scratch.open()
    try engine.put("a", [1])
    for _ in 0..<2 {
      try #expect(engine.value("b") == [])
      try #expect(engine.contents().map(\.key) == ["a", "b"])
      guard case .incomplete = try engine.get(bytes("b"), cachedOnly: true) else {
        Issue.record("an empty value is told from one that is not known")
        return
      }
      guard case .found([]) = try engine.get(bytes("b"), cachedOnly: false) else {
        Issue.record("an empty value is gone")
        return
      }
      #expect(try engine.readInMemory(steps: 1) { try $0.get(bytes("b")) } == .none)
      try engine.write { try #expect($0.get(bytes("b")) == []) }
      try engine.close()
      engine = try scratch.open()
    }
    try engine.close()
  }

  @Test
  func `every durable group is told with its keys, one that failed or wrote nothing is not`() throws
  {
    let scratch = try Scratch()
    let groups = Mutex<[Int]>([])
    var configuration = RocksDBConfiguration()
    configuration.groupObserver = { keys, duration in
      #expect(duration > .zero)
      groups.withLock { $0.append(keys) }
    }
    let engine = try RocksDBEngine(directory: scratch.data, configuration: configuration)
    try engine.put("a", [1])
    try engine.write { group in
      try group.putMarker(bytes("b"))
      try group.putMarker(bytes("c"))
    }
    try engine.write { _ in }
    #expect(throws: CancellationError.self) {
      try engine.write { group in
        try group.putMarker(bytes("d"))
        throw CancellationError()
      }
    }
    // The first group also wrote its time.
    #expect(groups.withLock { $0 } == [2, 2])
    #expect(engine.statistics()["kv_background_errors"] == 0)
    try engine.close()
    #expect(engine.statistics().isEmpty)
  }
}
