import ArgumentParser
import BaseText
import DocumentStore
import FirestoreModel

/// The products that RocksDB alone reads, and the way in which it does.
struct RawReadOptions: ParsableArguments {
  @Option(help: "The server's data directory.", completion: .directory) var data: String
  @Option(help: "How many products the collection was filled with.") var documents = 100_000
  @Option(help: "The size of the block cache in megabytes.") var cache = 512
  @Option(help: "How many threads read.") var threads = 1
  @Option(help: "The project's id.") var project = "load"
  @Option(help: "The collection of products.") var collection = "products"
  @Option(help: "What all random choices start from.") var seed: UInt64 = 1

  func validate() throws {
    try ServerOptions.check("--documents", documents, 1...100_000_000)
    try ServerOptions.check("--cache", cache, 1...1_048_576)
    try ServerOptions.check("--threads", threads, 1...64)
  }

  /// Opens the collection; throws if the directory has no database of the project.
  func open() throws -> RawCollection {
    let store = try RawStore(reading: data + "/store", cacheBytes: cache << 20)
    let entry = try store.get(MetaKey.catalogEntry(DatabaseID(project: Text(project))))
    guard let entry, entry.count >= 4 else {
      throw LoadError.refused("\(data) has no database of the project \(project)")
    }
    let incarnation = entry.prefix(4).reduce(Incarnation(0)) { $0 << 8 | Incarnation($1) }
    return RawCollection(
      store: store,
      incarnation: incarnation,
      path: ResourcePath([Text(collection)])
    )
  }

  /// Prints what a command measured.
  func report(_ command: String, _ latencies: LatencyHistogram, seconds: Int) {
    print(
      """
      \(command): RocksDB alone, \(documents) products, cache of \(cache) MB, threads: \(threads)
      throughput: \(Report.short(Double(latencies.count) / Double(seconds)))/s
      latency: p50 \(Report.milliseconds(latencies.quantile(0.5))), \
      p99 \(Report.milliseconds(latencies.quantile(0.99)))
      """
    )
  }
}
