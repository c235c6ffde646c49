import BaseRuntime
import Foundation
import KeyValuePostgres
import KeyValueRocksDB
import KeyValueStore

/// The way of a store from a data directory to PostgreSQL, or back, while no server runs.
///
/// The copy has another name, `store-moving` or `brasa_moving`, and gets its own when it is
/// complete. So an interrupted move leaves the directory as it was, and the next move starts again.
/// The store that was left is kept under the name `store-before-move` or `brasa_before_move`.
struct StoreMove {
  let directory: String
  let source: StoreLocation
  let target: StoreLocation
  /// Receives the number of copied keys.
  let progress: (Int) -> Void

  private static let moving = "brasa_moving"
  private static let left = "brasa_before_move"

  /// Moves the store; the number of its keys.
  func run() throws -> Int {
    let mark = StoreMark(in: directory)
    try mark.check(source)
    switch (source, target) {
    case (.directory, .postgres(let address)): return try moveToPostgres(address, mark)
    case (.postgres(let address), .directory): return try moveToDirectory(address, mark)
    case (.directory, .directory), (.postgres, .postgres):
      throw KeyValueError(.unsupported, "a store moves between its directory and PostgreSQL")
    }
  }

  private func moveToPostgres(_ address: String, _ mark: StoreMark) throws -> Int {
    guard FileManager.default.fileExists(atPath: store + "/FORMAT") else {
      throw KeyValueError(.foreign, "there is no store in \(directory)")
    }
    var configuration = PostgresConfiguration(address: address)
    let name = configuration.schema
    let places = try SchemaPlaces(configuration)
    guard try !places.hasStore(name) else {
      throw KeyValueError(
        .foreign,
        "a store already exists at \(configuration.shownAddress), in the schema \(name)"
      )
    }
    try places.drop(Self.moving)
    configuration.schema = Self.moving
    let count = try copy(from: try RocksDBEngine(directory: store)) { clock in
      try PostgresEngine(configuration, clock: clock)
    }
    try places.rename(Self.moving, to: name)
    try mark.write(configuration)
    try FileManager.default.moveItem(atPath: store, toPath: try freeName("store-before-move"))
    return count
  }

  private func moveToDirectory(_ address: String, _ mark: StoreMark) throws -> Int {
    let configuration = PostgresConfiguration(address: address)
    let places = try SchemaPlaces(configuration)
    guard try places.hasStore(configuration.schema) else {
      throw KeyValueError(.foreign, "there is no store at \(configuration.shownAddress)")
    }
    let unfinished = directory + "/store-moving"
    if FileManager.default.fileExists(atPath: unfinished) {
      try FileManager.default.removeItem(atPath: unfinished)
    }
    let count = try copy(from: try PostgresEngine(configuration)) { clock in
      try RocksDBEngine(directory: unfinished, clock: clock)
    }
    try FileManager.default.moveItem(atPath: unfinished, toPath: store)
    try mark.remove()
    try places.drop(Self.left)
    try places.rename(configuration.schema, to: Self.left)
    return count
  }

  private var store: String { directory + "/store" }

  private func freeName(_ name: String) throws -> String {
    let path = directory + "/" + name
    guard FileManager.default.fileExists(atPath: path) else { return path }
    return path + "-" + UUID().uuidString
  }

  /// Copies all keys to a new store, whose time goes on where that of the old one ended.
  private func copy(
    from source: any KeyValueEngine,
    to open: (MicrosecondClock) throws -> any KeyValueEngine
  ) throws -> Int {
    defer { try? source.close() }
    let last = try source.read { try $0.readTime() }
    let target = try open(MicrosecondClock { max(MicrosecondClock.system.now(), last + 1) })
    defer { try? target.close() }
    let copied = try source.read { view in
      let cursor = try view.cursor(over: KeyRange(lower: [], upper: nil), reversed: false)
      var batch = RecordBatch(to: target)
      while try cursor.next() {
        if try batch.add(Array(cursor.key), Array(cursor.value)) { progress(batch.count) }
      }
      try batch.write()
      return batch.count
    }
    let found = try Self.count(target)
    guard found == copied else {
      throw KeyValueError(.corruption, "\(copied) keys were copied, but \(found) were found")
    }
    return copied
  }

  private static func count(_ engine: any KeyValueEngine) throws -> Int {
    try engine.read { view in
      let cursor = try view.cursor(over: KeyRange(lower: [], upper: nil), reversed: false)
      var count = 0
      while try cursor.next() { count += 1 }
      return count
    }
  }
}
