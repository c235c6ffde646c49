import ArgumentParser
import DocumentStore

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

  @OptionGroup var options: RawReadOptions
  @OptionGroup var duration: DurationOptions

  func run() async throws {
    let collection = try options.open()
    let latencies = try RawReads(options, duration).measure { random in
      try collection.product(random.below(options.documents))
    }
    options.report("raw-get", latencies, seconds: duration.seconds)
  }
}
