import ArgumentParser
import Synchronization

/// The command `brasa-load fill`.
struct FillCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "fill",
    abstract: "Write numbered products, for get and query to find.",
    discussion: """
      Every user owns a hundred of them however many there are. Ids are spread over the collection \
      and the same in every run, so a repeated fill writes the same documents again.
      """
  )

  @OptionGroup var server: ServerOptions
  @Option(help: "How many products the collection shall have.") var documents = 100_000
  @Option(help: "How many products one commit writes.") var batch = 200

  func validate() throws {
    try ServerOptions.check("--documents", documents, 1...100_000_000)
    try ServerOptions.check("--batch", batch, 1...5_000)
  }

  func run() async throws {
    let target = server.target
    let (documents, batch) = (documents, batch)
    let next = Counter()
    let start = ContinuousClock.now
    let check = try await DurabilityCheck(target)
    let measurement = try await LoadRun(server) { _ in
      BatchOperation(size: batch) { _ in
        let first = next.take(batch)
        guard first < documents else { return nil }
        let products = (first..<min(first + batch, documents)).map { number in
          let product = Product(number: number, of: documents, owner: target.owner)
          return (id: Product.id(number), product: product)
        }
        return products
      } request: {
        RequestMessages.commit($0, areNew: false, in: target)
      }
    }
    .execute(warmUp: 0, seconds: 3_600)
    let seconds = (ContinuousClock.now - start) / .seconds(1)
    let report = Report(title: "fill", options: server, seconds: seconds, measurement: measurement)
    report.print(
      followedBy: try await check.lines(
        acknowledged: measurement.acknowledgedDocuments,
        areNew: false
      )
    )
  }
}

/// Numbers for several threads, each given once.
final class Counter: Sendable {
  private let next = Atomic<Int>(0)

  /// The first of `count` unique numbers.
  func take(_ count: Int) -> Int {
    next.wrappingAdd(count, ordering: .relaxed).oldValue
  }
}
