import ArgumentParser
import Foundation

/// The command `brasa-load raw`.
struct RawCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "raw",
    abstract: "Write the keys and values of creates to RocksDB alone, for comparison.",
    discussion: """
      What creating a product writes is computed beforehand by the store itself; then only RocksDB \
      is measured: one plain batch and one fsync a group, from one thread. No network, no checks, \
      no reads. This is the most that creates could reach on this disk.
      """
  )

  @Option(help: "A directory that does not exist yet; removed afterwards.", completion: .directory)
  var directory = "brasa-load-raw"
  @Option(help: "How many products one group holds.") var group = 64
  @Option(help: "How many products to write.") var documents = 50_000
  @Option(help: "What all random choices start from.") var seed: UInt64 = 1

  func validate() throws {
    try ServerOptions.check("--group", group, 1...10_000)
    try ServerOptions.check("--documents", documents, 1...10_000_000)
  }

  func run() async throws {
    guard !FileManager.default.fileExists(atPath: directory) else {
      throw ValidationError("\(directory) exists already.")
    }
    let cost = try await CreateCost(products: documents, collection: "products", seed: seed)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let (latencies, seconds) = try write(cost)
    let pairs = cost.products.reduce(0) { $0 + $1.count }
    let bytes = cost.products.joined().reduce(0) { $0 + $1.key.count + $1.value.count }
    print(
      """
      raw: RocksDB alone, groups of \(group), one fsync each
      throughput: \(Report.short(Double(documents) / seconds))/s \
      (\(documents) in \(Report.short(seconds)) s)
      latency of a group: p50 \(Report.milliseconds(latencies.quantile(0.5))), \
      p99 \(Report.milliseconds(latencies.quantile(0.99))), \
      p99.9 \(Report.milliseconds(latencies.quantile(0.999)))
      a product: \(Report.short(Double(pairs) / Double(documents))) key-values, \
      \(bytes / documents) bytes
      """
    )
  }

  private func write(_ cost: CreateCost) throws -> (latencies: LatencyHistogram, seconds: Double) {
    let store = try RawStore(directory: directory)
    let clock = ContinuousClock()
    var latencies = LatencyHistogram()
    let start = clock.now
    for first in stride(from: 0, to: documents, by: group) {
      let begun = clock.now
      try store.write(cost.products[first..<min(first + group, documents)])
      latencies.add(Int64((clock.now - begun) / .nanoseconds(1)))
    }
    return (latencies, (clock.now - start) / .seconds(1))
  }
}
