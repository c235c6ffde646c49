import CRocksDB
import Foundation
import KeyValueRocksDB
import KeyValueStore
import Testing

/// A directory of a test's own, removed with the object.
final class Scratch: Sendable {
  let path = base + "brasa-rocksdb-" + UUID().uuidString
  /// The directory of the engine; it does not exist yet.
  var data: String { path + "/data" }

  /// In memory where there is such a directory: the tests reopen hundreds of stores.
  private static let base =
    FileManager.default.isWritableFile(atPath: "/dev/shm") ? "/dev/shm/" : NSTemporaryDirectory()

  init() throws {
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Files under `data`, by name.
  func files() throws -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: data) {
      files[name] = try read(name)
    }
    return files
  }

  /// Names under `data` with that suffix, in order.
  func names(_ suffix: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: data).filter { $0.hasSuffix(suffix) }
      .sorted()
  }

  func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: "\(data)/\(name)")))
  }

  func write(_ name: String, _ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: "\(data)/\(name)"))
  }

  /// Copies `data` as a crash now would leave it to another scratch directory.
  func crashed() throws -> Scratch {
    let copy = try Scratch()
    try FileManager.default.copyItem(atPath: data, toPath: copy.data)
    return copy
  }

  /// Opens the database with the engine's options and has the library write them down.
  func openDescribed() throws {
    let options = try RocksDBOptions(RocksDBConfiguration(), describesItself: true)
    var message: UnsafeMutablePointer<CChar>?
    try FileManager.default.createDirectory(atPath: data, withIntermediateDirectories: true)
    let database: OpaquePointer? = rocksdb_open(options.database, data, &message)
    #expect(message == nil)
    if let database { rocksdb_close(database) }
  }

  /// Writes what the engine refuses to.
  func writeEmptyValue(_ key: String) throws {
    let options = try RocksDBOptions(RocksDBConfiguration())
    var message: UnsafeMutablePointer<CChar>?
    let database = try #require(rocksdb_open(options.database, data, &message))
    defer { rocksdb_close(database) }
    let writing = rocksdb_writeoptions_create()
    defer { rocksdb_writeoptions_destroy(writing) }
    rocksdb_put(database, writing, key, key.utf8.count, "", 0, &message)
    #expect(message == nil)
  }

  func open() throws -> RocksDBEngine {
    var configuration = RocksDBConfiguration()
    configuration.blockCacheBytes = 1 << 20
    configuration.writeBufferBytes = 128 << 10
    return try RocksDBEngine(directory: data, configuration: configuration)
  }
}

func bytes(_ text: String) -> [UInt8] {
  Array(text.utf8)
}

extension KeyValueEngine {
  func put(_ key: String, _ value: [UInt8]) throws {
    try write { group in
      _ = try group.allocateVersion()
      try group.put(bytes(key), value)
    }
  }

  func value(_ key: String) throws -> [UInt8]? {
    try read { try $0.get(bytes(key)) }
  }

  /// Every pair, in order.
  func contents() throws -> [(key: String, value: [UInt8])] {
    try read { view in
      let cursor = try view.cursor(over: KeyRange(lower: [], upper: nil), reversed: false)
      var pairs: [(String, [UInt8])] = []
      while try cursor.next() {
        pairs.append((String(decoding: cursor.key, as: UTF8.self), Array(cursor.value)))
      }
      return pairs
    }
  }
}

/// The code of the error that the body throws, if it is an engine's.
func code(of body: () throws -> Void) -> KeyValueError? {
  do {
    try body()
    return nil
  } catch {
    return error as? KeyValueError
  }
}
