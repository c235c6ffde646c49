import KeyValueStore

/// Removes kept answers that are older than the retention, oldest first.
struct AnswerSweep: Sendable {
  private let configuration: StoreConfiguration

  /// The number of responses that a step removes.
  private static let stepSize = 500

  init(configuration: StoreConfiguration) { self.configuration = configuration }

  /// One step in one database; answers whether there is more to do.
  func step(_ database: Database) throws -> Bool {
    let keys = try database.engine.read { try oldKeys(in: database, $0) }
    guard !keys.isEmpty else { return false }
    try database.engine.write(.background) { group in
      guard !database.isRetired else { return }
      for key in keys { try group.delete(key) }
    }
    return true
  }

  private func oldKeys(
    in database: Database,
    _ snapshot: any KeyValueSnapshot
  ) throws -> [[UInt8]] {
    let incarnation = database.incarnation
    let limit = configuration.wallClock.now() - configuration.retention
    let range = KeyRange(prefix: KeySpace.answerAge.prefix(incarnation))
    let cursor = try snapshot.cursor(over: range, reversed: false)
    var keys: [[UInt8]] = []
    while keys.count < 2 * Self.stepSize, try cursor.next() {
      guard let (version, key) = AnswerKey.parts(ofAge: cursor.key) else { continue }
      guard version.microseconds < limit else { break }
      keys.append(AnswerKey.bytes(key, in: incarnation))
      keys.append([UInt8](cursor.key))
    }
    return keys
  }
}
