import ArgumentParser
import DocumentStore
import FirestoreModel
import Foundation
import Synchronization

/// The command `brasa-load raw-get`.
struct RawGetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "raw-get",
    abstract: "Get a filled collection's products from RocksDB alone, for comparison.",
    discussion: """
      Opens the store of a server's data directory to read, with the options of the server's engine; \
      the server may run. The products of `fill` are got by the keys that the server gets them by, \
      without network, decoding or cache of documents: all of the cache is the library's.
      """
  )

  @Option(help: "The server's data directory.", completion: .directory) var data: String
  @Option(help: "How many products the collection was filled with.") var documents = 100_000
  @Option(help: "The size of the block cache in megabytes.") var cache = 512
  @Option(help: "How many threads get products.") var threads = 1
  @Option(help: "The project's id.") var project = "load"
  @Option(help: "The collection of products.") var collection = "products"
  @Option(help: "What all random choices start from.") var seed: UInt64 = 1
  @OptionGroup var duration: DurationOptions

  func validate() throws {
    try ServerOptions.check("--documents", documents, 1...100_000_000)
    try ServerOptions.check("--cache", cache, 1...1_048_576)
    try ServerOptions.check("--threads", threads, 1...64)
  }

  func run() async throws {
    let store = try RawStore(reading: data + "/store", cacheBytes: cache << 20)
    let keys = try productKeys(in: store)
    try get(keys, from: store, seconds: duration.warmUp, seed: seed)
    let latencies = try get(keys, from: store, seconds: duration.seconds, seed: seed &+ 1)
    print(
      """
      raw-get: RocksDB alone, \(documents) products, cache of \(cache) MB, threads: \(threads)
      throughput: \(Report.short(Double(latencies.count) / Double(duration.seconds)))/s
      latency: p50 \(Report.milliseconds(latencies.quantile(0.5))), \
      p99 \(Report.milliseconds(latencies.quantile(0.99)))
      """
    )
  }

  private func productKeys(in store: RawStore) throws -> @Sendable (Int) -> [UInt8] {
    let entry = try store.get(MetaKey.catalogEntry(DatabaseID(project: Text(project))))
    guard let entry, entry.count >= 4 else {
      throw LoadError.refused("\(data) has no database of the project \(project)")
    }
    let incarnation = entry.prefix(4).reduce(Incarnation(0)) { $0 << 8 | Incarnation($1) }
    let collection = Text(collection)
    return { number in
      let path = ResourcePath([collection, Text(Product.id(number))])
      return DocumentKey(path, in: incarnation).bytes
    }
  }

  /// Gets random products on all threads for so long.
  @discardableResult
  private func get(
    _ key: @escaping @Sendable (Int) -> [UInt8],
    from store: RawStore,
    seconds: Int,
    seed: UInt64
  ) throws -> LatencyHistogram {
    let outcome = Mutex(Outcome())
    let documents = documents
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      var random = RandomSource(seed: seed &* 64 &+ UInt64(thread))
      let result = Result {
        try Self.get(from: store, until: .now + .seconds(seconds)) { key(random.below(documents)) }
      }
      outcome.withLock { $0.add(result) }
    }
    return try outcome.withLock { try $0.latencies() }
  }

  private static func get(
    from store: RawStore,
    until end: ContinuousClock.Instant,
    _ key: () -> [UInt8]
  ) throws -> LatencyHistogram {
    var latencies = LatencyHistogram()
    var now = ContinuousClock.now
    while now < end {
      let begun = now
      guard try store.get(key()) != nil else {
        throw LoadError.refused("a product is missing: fill the collection first")
      }
      now = .now
      latencies.add(Int64((now - begun) / .nanoseconds(1)))
    }
    return latencies
  }

  /// What all threads came to.
  private struct Outcome {
    private var merged = LatencyHistogram()
    private var error: (any Error)?

    mutating func add(_ result: Result<LatencyHistogram, any Error>) {
      switch result {
      case .success(let latencies): merged.merge(latencies)
      case .failure(let failure): error = failure
      }
    }

    func latencies() throws -> LatencyHistogram {
      if let error { throw error }
      return merged
    }
  }
}
