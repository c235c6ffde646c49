import Gateway
import KeyValuePostgres
import KeyValueStore

// The key of the secret: 0xC0, the first byte of `KeyOwner.nodes`, then 0x01. Its value is 32 random bytes.

extension KeyOwner {
  /// The secret of the nodes that share a store.
  package static let nodes = KeyOwner("nodes", firstBytes: 0xC0...0xCF)
}

extension NodeSecret {
  /// The secret that is kept in an engine, made by its first use; blocks.
  init(engine: PostgresEngine) throws {
    let key = [KeyOwner.nodes.firstBytes.lowerBound, 0x01]
    self.init(try KeptSecret.read(key, in: engine), clock: engine.clock)
  }
}
