import BaseText
import DocumentStore
import FirestoreModel

/// The products of `fill`, read from RocksDB by the keys that the server reads them by.
struct RawCollection: Sendable {
  let store: RawStore
  let incarnation: Incarnation
  let path: ResourcePath

  /// The id of a product as the last segment of an index entry's key: a tag, 20 letters, an end of two bytes.
  private static let idBytes = 20
  private static let endBytes = 2

  /// Reads a product by its number.
  func product(_ number: Int) throws {
    try product(Text(Product.id(number)))
  }

  /// Reads the first products of a user in the order of the composite index.
  func products(of user: String, index: UInt32, limit: Int) throws {
    var prefix = IndexKey.declaredPrefix(
      incarnation: incarnation,
      number: index,
      scope: .collection,
      collection: path
    )
    OrderedEncoding.append(.string(Text(user)), to: &prefix)
    let entries = try store.keys(from: prefix, limit: limit)
    guard !entries.isEmpty else {
      throw LoadError.refused("\(user) has no entries in index \(index)")
    }
    for entry in entries {
      let id = entry.dropLast(Self.endBytes).suffix(Self.idBytes)
      try product(Text(String(decoding: id, as: UTF8.self)))
    }
  }

  private func product(_ id: Text) throws {
    let key = DocumentKey(ResourcePath(path.segments + [id]), in: incarnation).bytes
    guard try store.get(key) != nil else {
      throw LoadError.refused("a product is missing: fill the collection first")
    }
  }
}
