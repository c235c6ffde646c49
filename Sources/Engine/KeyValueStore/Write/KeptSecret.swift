/// Random bytes that an engine keeps, for values that leave the process and must be recognized
/// later.
package enum KeptSecret {
  /// The number of bytes in a secret.
  package static let length = 32

  /// The secret under a key, made by its first use.
  ///
  /// Blocks; a value of another length is `.corruption`.
  package static func read(_ key: [UInt8], in engine: any KeyValueEngine) throws -> [UInt8] {
    // A store that takes no writes for now still knows its secrets.
    if case .found(let known) = try engine.get(key, cachedOnly: false) { return try checked(known) }
    let kept = try engine.write { group -> [UInt8] in
      if let known = try group.get(key) { return known }
      var generator = SystemRandomNumberGenerator()
      let made = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      try group.put(key, made)
      return made
    }
    return try checked(kept)
  }

  private static func checked(_ kept: [UInt8]) throws -> [UInt8] {
    guard kept.count == length else {
      throw KeyValueError(.corruption, "a secret of the store is damaged")
    }
    return kept
  }
}
