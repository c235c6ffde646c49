import KeyValueStore

/// The work that several writers of one store do together: a counter, and a log of the versions
/// that it changed at.
package enum SharedCounter {
  private static let counter = Array("counter".utf8)
  private static let log = Array("v".utf8)

  /// Adds one, and logs the group's version.
  package static func increment(_ engine: any KeyValueEngine) throws {
    try engine.write { group in
      let count = try group.get(counter).map(number) ?? 0
      try group.put(counter, bytes(count + 1))
      try group.putMarker(log + bytes(group.allocateVersion()))
    }
  }

  /// A view's read time, and the versions that are logged in it.
  package static func observe(
    _ engine: any KeyValueEngine
  ) throws -> (time: Int64, versions: [Int64]) {
    try engine.read { view in
      let time = try view.readTime()
      let cursor = try view.cursor(over: KeyRange(prefix: log), reversed: false)
      var versions: [Int64] = []
      while try cursor.next() { versions.append(number(Array(cursor.key.suffix(8)))) }
      return (time, versions)
    }
  }

  /// The counter.
  package static func value(_ engine: any KeyValueEngine) throws -> Int64 {
    try engine.read { try $0.get(counter) }.map(number) ?? 0
  }

  private static func bytes(_ number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  private static func number(_ bytes: [UInt8]) -> Int64 { bytes.reduce(0) { $0 << 8 | Int64($1) } }
}
