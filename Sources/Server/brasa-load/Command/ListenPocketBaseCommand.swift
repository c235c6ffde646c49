import ArgumentParser

/// The command `brasa-load listen-pocketbase`.
struct ListenPocketBaseCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "listen-pocketbase",
    abstract: "The measure of listen on PocketBase's event streams, for comparing.",
    discussion: "The collection's rules must let anybody list and update."
  )

  @OptionGroup var address: AddressOptions
  @Option(help: "How many subscribers, a connection each.") var connections = 5_000
  @Option(help: "The record that is changed.") var record: String
  @Option(help: "How many seconds to change it.") var seconds = 10

  func validate() throws {
    try ServerOptions.check("--connections", connections, 1...20_000)
    try ServerOptions.check("--seconds", seconds, 1...3_600)
  }

  func run() throws {
    raiseOpenFileLimit()
    let run = try EventStreamRun(address.target())
    try run.subscribe(connections)
    let ledger = try run.change(record: record, seconds: seconds)
    print("commits: \(ledger.answers.count)")
    print("commit to last listener: \(Report.quantiles(ledger.lastDeliveries))")
    print("deliveries: \(ledger.deliveredCount), \(Report.short(ledger.deliveryRate))/s")
  }
}
