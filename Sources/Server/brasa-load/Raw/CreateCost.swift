import BaseText
import DocumentCodec
import DocumentStore
import FirestoreModel

/// The keys and values that creating products costs, as the store makes them.
struct CreateCost {
  /// One list of puts a product.
  let products: [RecordingEngine.Pairs]

  /// Creates that many products with random ids in a store over a recording engine.
  init(products count: Int, collection: String, seed: UInt64) async throws {
    let engine = RecordingEngine()
    var configuration = StoreConfiguration()
    configuration.autoCreateDatabases = true
    configuration.maintainsItself = false
    let store = try Databases(engine: engine, configuration: configuration)
    defer { store.close() }
    let id = DatabaseID(project: "load")
    let database = try store.database(id)
    var random = RandomSource(seed: seed)
    var products: [RecordingEngine.Pairs] = []
    products.reserveCapacity(count)
    // The first document of the collection also makes the collection known.
    for number in 0...count {
      _ = engine.take()
      let write = try Self.create(in: collection, of: id, &random)
      _ = try await withCheckedThrowingContinuation { continuation in
        database.commit(CommitProposal(writes: [write])) { continuation.resume(with: $0) }
      }
      if number > 0 { products.append(engine.take()) }
    }
    self.products = products
  }

  private static func create(
    in collection: String,
    of database: DatabaseID,
    _ random: inout RandomSource
  ) throws -> Write {
    let path = ResourcePath([Text(collection), Text(random.documentID())])
    let name = DocumentName(database: database, path: path)
    var fields = ProtobufWriter(capacity: 256)
    Product(random: &random).write(to: &fields)
    return Write(
      name: name,
      operation: .update(try DocumentCodec.validate(fields.bytes, name: name), mask: nil),
      precondition: .exists(false)
    )
  }
}
