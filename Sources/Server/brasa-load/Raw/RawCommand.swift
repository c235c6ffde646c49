import ArgumentParser
import Foundation

/// The command `brasa-load raw`.
struct RawCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "raw",
    abstract: "Write the keys and values of creates to RocksDB alone, for comparison.",
    discussion: """
      What creating a product writes is computed beforehand by the store itself; then only RocksDB \
      is measured, with the options of the server's engine: one plain batch and one fsync a group, from \
      one thread. No network, no checks, no reads. This is the most that creates could reach on this disk.
      """
  )

  @Option(
    help: "A directory that does not exist yet; removed afterwards.",
    completion: .directory
  )
  var directory = "brasa-load-raw"
  @Flag(help: "Write into the directory, a copy of a stopped server's store, and leave it.")
  var existing = false
  @Option(help: "The size of the block cache in megabytes.") var cache = 512
  @Option(help: "How many products one group holds.") var group = 64
  @Option(help: "How many products to write.") var documents = 50_000
  @Option(help: "How many products to write before measuring: something to merge with.")
  var fill = 0
  @Option(help: "How many seconds to measure at most; less where the products end before.")
  var seconds = 3_600
  @Option(help: "How many seconds to write before measuring, as the measures of a server do.")
  var warmUp = 0
  @Option(help: "What all random choices start from.") var seed: UInt64 = 1

  /// Products that one group holds while filling.
  private static let fillGroup = 500

  func validate() throws {
    try ServerOptions.check("--group", group, 1...10_000)
    try ServerOptions.check("--documents", documents, 1...10_000_000)
    try ServerOptions.check("--fill", fill, 0...10_000_000)
    try ServerOptions.check("--cache", cache, 1...1_048_576)
    try ServerOptions.check("--seconds", seconds, 1...3_600)
    try ServerOptions.check("--warm-up", warmUp, 0...600)
  }

  func run() async throws {
    let exists = FileManager.default.fileExists(atPath: directory)
    guard exists == existing else {
      throw ValidationError("\(directory) \(exists ? "exists already" : "does not exist").")
    }
    let cost = try await CreateCost(
      products: fill + documents,
      collection: "products",
      seed: seed
    )
    defer { if !existing { try? FileManager.default.removeItem(atPath: directory) } }
    let written = try write(cost.products)
    let pairs = cost.products.reduce(0) { $0 + $1.count }
    let bytes = cost.products.joined().reduce(0) { $0 + $1.key.count + $1.value.count }
    print(
      """
      raw: RocksDB alone, groups of \(group), one fsync each, \(fill) products there before
      throughput: \(Report.short(Double(written.products) / written.seconds))/s \
      (\(written.products) in \(Report.short(written.seconds)) s)
      latency of a group: p50 \(Report.milliseconds(written.latencies.quantile(0.5))), \
      p99 \(Report.milliseconds(written.latencies.quantile(0.99))), \
      p99.9 \(Report.milliseconds(written.latencies.quantile(0.999)))
      a product: \(Report.short(Double(pairs) / Double(cost.products.count))) key-values, \
      \(bytes / cost.products.count) bytes
      """
    )
  }

  private func write(_ products: [RecordingEngine.Pairs]) throws -> Written {
    let store = try RawStore(directory: directory, cacheBytes: cache << 20)
    for first in stride(from: 0, to: fill, by: Self.fillGroup) {
      try store.write(products[first..<min(first + Self.fillGroup, fill)])
    }
    let warm = try write(products[fill...], seconds: warmUp, to: store)
    return try write(products[(fill + warm.products)...], seconds: seconds, to: store)
  }

  /// Writes groups until the time is up or the products end.
  private func write(
    _ products: ArraySlice<RecordingEngine.Pairs>,
    seconds: Int,
    to store: RawStore
  ) throws -> Written {
    let clock = ContinuousClock()
    var latencies = LatencyHistogram()
    var next = products.startIndex
    let start = clock.now
    let end = start + .seconds(seconds)
    var now = start
    while next < products.endIndex, now < end {
      let group = products[next..<min(next + group, products.endIndex)]
      try store.write(group)
      next = group.endIndex
      let begun = now
      now = clock.now
      latencies.add(Int64((now - begun) / .nanoseconds(1)))
    }
    return Written(
      products: next - products.startIndex,
      seconds: (now - start) / .seconds(1),
      latencies: latencies
    )
  }

  /// The writes made during the measurement.
  private struct Written {
    let products: Int
    let seconds: Double
    let latencies: LatencyHistogram
  }
}
