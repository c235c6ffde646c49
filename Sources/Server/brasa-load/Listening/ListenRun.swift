/// One run of `brasa-load listen`: fills, opens the listeners, and does what the scenario says.
struct ListenRun {
  private let options: ListenCommand
  private let server: ServerUnderLoad
  private let loop: ConnectionLoop

  init(_ options: ListenCommand, server: ServerUnderLoad) throws {
    self.options = options
    self.server = server
    loop = try ConnectionLoop()
  }

  /// Runs and prints what it measured.
  func perform() throws {
    let streams = options.streams ?? options.connections
    print(
      "listen: \(options.listeners) listeners of \(queries), \(streams) streams,"
        + " \(options.connections) connections"
    )
    try fill()
    switch options.scenario {
    case .deliver: try deliver()
    case .commitRate: try compareCommitRates()
    case .resume: try resume()
    case .idle: try fleet().close()
    }
  }

  private var queries: String {
    options.sharing == .sameQuery ? "the same query" : "a query each"
  }

  private var target: LoadTarget { options.address.target(port: server.port) }

  /// The node on which commits are made: another than the listeners', if there is one.
  private var writtenNode: LoadTarget { options.address.targets.dropFirst().first ?? target }

  /// The number of documents in a query; if several commits are in flight they change different
  /// ones.
  private var documents: Int {
    options.documents ?? (options.sharing == .sameQuery ? 10 : 1)
  }

  /// The user whose products a listener wants.
  private func user(of listener: Int) -> String {
    Product.user(options.sharing == .sameQuery ? 0 : listener)
  }

  private func writer(
    _ ledger: DeliveryLedger,
    connections: Int = 1
  ) throws -> CommitWriter {
    try CommitWriter(writtenNode, loop: loop, ledger: ledger, connections: connections)
  }

  private func fill() throws {
    let writer = try writer(DeliveryLedger())
    // Where commit rates are compared, documents without listeners are changed too.
    let users =
      options.sharing == .sameQuery
      ? 1 : options.listeners * (options.scenario == .commitRate ? 2 : 1)
    var batch: [(id: String, user: String)] = []
    for user in 0..<users {
      for number in 0..<documents {
        batch.append((id(of: number, user: user), Product.user(user)))
        if batch.count == 250 {
          try writer.fill(batch)
          batch = []
        }
      }
    }
    if !batch.isEmpty { try writer.fill(batch) }
    try writer.close()
  }

  private func id(of number: Int, user: Int) -> String { "user-\(user)-\(number)" }

  // MARK: Listeners

  /// Opens the listeners and says what that took.
  private func fleet(
    _ ledger: DeliveryLedger? = nil,
    resuming tokens: [[UInt8]]? = nil
  ) throws -> ListenerFleet {
    let plan = ListenerFleet.Plan(
      target: target,
      listeners: options.listeners,
      streams: options.streams ?? options.connections,
      connections: options.connections,
      user: user,
      keepsTokens: options.scenario == .resume
    )
    let fleet = ListenerFleet(plan, loop: loop, ledger: ledger, resuming: tokens)
    let before = server.resources()
    let start = monotonicNanoseconds()
    try fleet.open()
    let counts = fleet.counts
    print(
      "\(tokens == nil ? "opened" : "resumed"): \(Report.milliseconds(monotonicNanoseconds() - start)),"
        + " \(counts.documents) documents sent, \(counts.removals) removals,"
        + " \(counts.filters) filters, \(counts.resets) resets"
    )
    // Memory that was only needed to open them has time to be freed.
    try loop.run(until: monotonicNanoseconds() + 1_000_000_000)
    if let before, let after = server.resources() { printMemory(before, after) }
    return fleet
  }

  private func printMemory(_ before: ServerResources, _ after: ServerResources) {
    let grown = Double(after.residentBytes - before.residentBytes) / 1024
    print(
      "memory: \(Report.short(Double(after.residentBytes) / 1_048_576)) MB resident;"
        + " \(Report.short(grown / Double(options.listeners))) KB more a listener,"
        + " \(Report.short(grown / Double(options.connections))) KB a connection;"
        + " \(after.threads) threads, \(after.descriptors) descriptors;"
        + " \(processor(before, after)) of processor time"
    )
  }

  private func processor(_ before: ServerResources, _ after: ServerResources) -> String {
    "\(Report.short(after.processorSeconds - before.processorSeconds)) s"
  }

  // MARK: Delivery

  private func deliver() throws {
    let ledger = DeliveryLedger()
    let fleet = try fleet(ledger)
    let writer = try writer(ledger)
    try commit(writer, ledger, seconds: options.warmUp)
    try settle(ledger)
    ledger.startMeasuring()
    let (before, clientBefore) = (server.resources(), ServerResources.ours())
    try commit(writer, ledger, seconds: options.seconds)
    try settle(ledger)
    let (after, clientAfter) = (server.resources(), ServerResources.ours())
    printDeliveries(ledger, fleet)
    if let before, let after, let clientBefore, let clientAfter {
      let sizes = [before, after].map { Report.short(Double($0.residentBytes) / 1_048_576) }
      let costs = [(before, after), (clientBefore, clientAfter)].map {
        Report.short(($1.processorSeconds - $0.processorSeconds) * 1e6 / divisor(ledger))
      }
      print(
        "server while committing: from \(sizes[0]) MB to \(sizes[1]) MB,"
          + " \(processor(before, after)) of processor time, \(costs[0]) us a delivery;"
          + " this client \(costs[1]) us"
      )
    }
    try writer.close()
    try fleet.close()
  }

  private func divisor(_ ledger: DeliveryLedger) -> Double {
    Double(max(ledger.deliveredCount, 1))
  }

  /// Waits, for some seconds at most, until all commits have responses and every listener saw them.
  private func settle(_ ledger: DeliveryLedger) throws {
    try loop.run(until: monotonicNanoseconds() + 5_000_000_000) {
      ledger.openCount == 0 && ledger.missingCount <= 0
    }
  }

  private func commit(
    _ writer: CommitWriter,
    _ ledger: DeliveryLedger,
    seconds: Int
  ) throws {
    let start = monotonicNanoseconds()
    let end = start + Int64(seconds) * 1_000_000_000
    var made: Int64 = 0
    while monotonicNanoseconds() < end {
      let number = try commitOnce(writer, ledger)
      made += 1
      if let rate = options.rate {
        try loop.run(until: min(end, start + made * 1_000_000_000 / Int64(rate)))
      } else {
        let isSeen = try loop.run(until: monotonicNanoseconds() + 10_000_000_000) {
          ledger.isComplete(number)
        }
        guard isSeen || !ledger.errors.isEmpty else {
          throw LoadError.refused("commit \(number) was not seen by all within ten seconds")
        }
      }
    }
  }

  /// One commit that all listeners of the same query shall see, or one of a query each.
  private func commitOnce(_ writer: CommitWriter, _ ledger: DeliveryLedger) throws -> Int {
    let isShared = options.sharing == .sameQuery
    let user = isShared ? 0 : ledger.count &* 7_919 % options.listeners
    return try writer.commit(
      id: id(of: ledger.count % documents, user: user),
      user: Product.user(user),
      expecting: isShared ? options.listeners : 1
    )
  }

  private func printDeliveries(_ ledger: DeliveryLedger, _ fleet: ListenerFleet) {
    print("commits: \(ledger.answers.count), answered \(Report.quantiles(ledger.answers))")
    print("commit to last listener: \(Report.quantiles(ledger.lastDeliveries))")
    print("commit to delivery: \(Report.quantiles(ledger.deliveries))")
    print("answer to delivery: \(Report.quantiles(ledger.afterAnswer))")
    print(
      "deliveries: \(ledger.deliveredCount), \(Report.short(ledger.deliveryRate))/s,"
        + " \(ledger.missingCount) coalesced or missing, \(fleet.counts.resets) resets"
    )
    printErrors([ledger.errors, fleet.counts.errors])
  }

  private func printErrors(_ all: [[String: Int]]) {
    let errors = all.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
    print("errors: \(errors.values.reduce(0, +))")
    for (name, count) in errors { print("  \(count) x \(name)") }
  }

  // MARK: Commit rate

  private func compareCommitRates() throws {
    let watched = UserTurns(first: 0, count: options.listeners)
    let others = UserTurns(first: options.listeners, count: options.listeners)
    let before = try commitRate(of: watched, expecting: 0)
    let fleetLedger = DeliveryLedger()
    let fleet = try fleet(fleetLedger)
    let unmatched = try commitRate(of: others, expecting: 0)
    let matched = try commitRate(of: watched, expecting: 1, ledger: fleetLedger)
    printDeliveries(fleetLedger, fleet)
    try fleet.close()
    // Before and after, because a server is faster once it is warm and slower once it is full.
    let after = try commitRate(of: watched, expecting: 0)
    let alone = (before.rate + after.rate) / 2
    for (name, measured) in [
      ("no listeners, before", before), ("no listeners, after", after),
      ("listeners that none concerns", unmatched), ("one listener each", matched),
    ] {
      print(
        "commits, \(name): \(Report.short(measured.rate))/s,"
          + " \(Report.short(100 * measured.rate / alone)) % of that without;"
          + " \(Report.short(measured.serverMicroseconds)) us of the server's processors"
          + " and \(Report.short(measured.clientMicroseconds)) us of this client's a commit"
      )
    }
  }

  /// Users by turns, so that no measure finds documents warm that the one before it changed.
  private final class UserTurns {
    private let first: Int
    private let count: Int
    private var turn = 0

    init(first: Int, count: Int) { (self.first, self.count) = (first, count) }

    func next() -> Int {
      turn += 1
      return first + turn &* 7_919 % count
    }
  }

  private struct CommitRate {
    /// Commits a second.
    let rate: Double
    /// Processor time a commit.
    let serverMicroseconds: Double
    let clientMicroseconds: Double
  }

  /// Commits a second with so many in flight, each seen by so many listeners.
  private func commitRate(
    of users: UserTurns,
    expecting listeners: Int,
    ledger: DeliveryLedger = DeliveryLedger()
  ) throws -> CommitRate {
    let writer = try writer(ledger, connections: min(16, options.inFlight))
    var isOver = false
    let next = { [unowned writer] in
      guard !isOver else { return }
      let user = users.next()
      try writer.commit(
        id: id(of: 0, user: user),
        user: Product.user(user),
        expecting: listeners
      )
    }
    writer.onAnswer = next
    for _ in 0..<options.inFlight { try next() }
    try loop.run(until: monotonicNanoseconds() + Int64(options.warmUp) * 1_000_000_000)
    let before = ledger.acknowledgedCount
    let start = monotonicNanoseconds()
    let spentBefore = processorSeconds()
    try loop.run(until: start + Int64(options.seconds) * 1_000_000_000)
    let commits = Double(max(ledger.acknowledgedCount - before, 1))
    let seconds = Double(monotonicNanoseconds() - start) / 1e9
    let spent = processorSeconds()
    isOver = true
    if let failure = writer.failure { throw failure }
    try settle(ledger)
    try writer.close()
    return CommitRate(
      rate: commits / seconds,
      serverMicroseconds: (spent.server - spentBefore.server) * 1e6 / commits,
      clientMicroseconds: (spent.client - spentBefore.client) * 1e6 / commits
    )
  }

  /// The processor time that the server and this client have taken so far.
  private func processorSeconds() -> (server: Double, client: Double) {
    (server.resources()?.processorSeconds ?? 0, ServerResources.ours()?.processorSeconds ?? 0)
  }

  // MARK: Resume

  private func resume() throws {
    let first = try fleet()
    let tokens = first.tokens
    guard tokens.allSatisfy({ !$0.isEmpty }) else {
      throw LoadError.refused("a listener has no resume token")
    }
    let stopping = monotonicNanoseconds()
    server.stop(kill: options.kill)
    try first.close()
    let starting = monotonicNanoseconds()
    try server.start()
    print(
      "restart: stopped in \(Report.milliseconds(starting - stopping)),"
        + " started in \(Report.milliseconds(monotonicNanoseconds() - starting))"
    )
    try fleet(resuming: tokens).close()
  }
}
