import BaseStatus
import BaseText
import FirestoreModel
import FirestoreSync
import ModelTestSupport

/// One schedule: a few clients do random things, then everything is delivered and compared.
package struct RandomSchedule {
  private var random: SeededSource
  private let server: ModelServer
  private let clients: [ScheduleClient]
  private var time: Int64 = 0
  private var written: Int64 = 0
  package static let users: [UserID] = [nil, "one", "two"]
  private var users: [UserID] { Self.users }

  /// A schedule of that seed, whose clients' stores `open` makes: given a client's number, how to open its store.
  package init(
    seed: UInt64,
    open: (Int, CollectionPolicy) throws -> ScheduleClient.OpenStore
  ) throws {
    random = SeededSource(seed: seed)
    server = ModelServer()
    let count = Int.random(in: 1...3, using: &random)
    var clients: [ScheduleClient] = []
    for number in 0..<count {
      let policy: CollectionPolicy = Bool.random(using: &random) ? .eager : .leastRecentlyUsed
      let open = try open(number, policy)
      clients.append(try ScheduleClient(number, server, policy: policy, open: open))
    }
    self.clients = clients
  }

  /// A schedule that goes on with clients and a server that were there before; `serial` is above all that they wrote.
  package init(seed: UInt64, _ server: ModelServer, _ clients: [ScheduleClient], serial: Int64) {
    random = SeededSource(seed: seed)
    self.server = server
    self.clients = clients
    written = serial
    time = serial
  }

  /// Runs it to its end; throws where a promise is broken.
  package func run() throws {
    var schedule = self
    try schedule.perform()
  }

  private mutating func perform() throws {
    for _ in 0..<Int.random(in: 20...250, using: &random) { try step() }
    try finish()
  }

  // MARK: Steps

  /// Does one thing.
  package mutating func step() throws {
    let client = clients[Int.random(in: 0..<clients.count, using: &random)]
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<14: try client.write(randomWrites(), at: nextTime())
    case 14..<22: try client.listen(randomQuery(), randomOptions())
    case 22: try client.addInSyncListener()
    case 23..<25: try client.unlisten(Int.random(in: 0..<1_000, using: &random))
    case 25..<34: server.apply(randomWrites())
    case 34..<60: _ = try client.deliverWatch()
    case 60..<70: _ = try client.deliverWrite()
    case 70..<78: _ = client.handleRequest()
    case 78..<81: try client.cutWatch(randomCode(), habit: Int.random(in: 0..<4, using: &random))
    case 81..<84: try client.cutWrite(randomCode())
    case 84..<89: try fireTimer(of: client)
    case 89: client.sendHeartbeat()
    case 90..<92: try client.kill()
    case 92..<94: try client.changeUser(users[Int.random(in: 0..<3, using: &random)])
    case 94..<96: try client.send(Bool.random(using: &random) ? .enableNetwork : .disableNetwork)
    case 96..<98: client.store.failingLabels = randomLabels()
    case 98 where Bool.random(using: &random): try client.loadBundle(number: nextBundle(), &random)
    case 98: try client.store.settle()
    default:
      let threshold = Int.random(in: 0...400, using: &random)
      try client.send(.collectGarbage(CollectionParameters(threshold: threshold, percentile: 50)))
    }
  }

  private mutating func fireTimer(of client: ScheduleClient) throws {
    let timers = client.timers.sorted { $0.rawValue < $1.rawValue }
    guard let timer = timers.randomElement(using: &random) else { return }
    try client.fire(timer)
  }

  private mutating func nextTime() -> Timestamp {
    time += 1_000
    return Timestamp(microseconds: time)
  }

  private mutating func randomCode() -> StatusCode {
    [.unavailable, .internalError, .resourceExhausted, .unauthenticated]
      .randomElement(using: &random) ?? .unavailable
  }

  private mutating func randomLabels() -> Set<TransactionLabel> {
    if Bool.random(using: &random) { return [] }
    return Set(TransactionLabel.allCases.filter { _ in Int.random(in: 0..<6, using: &random) == 0 })
  }

  private mutating func randomOptions() -> ListenOptions {
    ListenOptions(
      source: Int.random(in: 0..<8, using: &random) == 0 ? .cache : .server,
      includesMetadataChanges: Bool.random(using: &random),
      waitsForSyncWhenOnline: Int.random(in: 0..<5, using: &random) == 0
    )
  }

  private mutating func randomQuery() throws -> ListenQuery {
    var query = Query(scope: .collection("c"))
    let field = FieldPath(["n"])
    switch Int.random(in: 0..<12, using: &random) {
    case 9:
      query.orders = [Order(field)]
      query.start = randomCursor()
      if Bool.random(using: &random) { query.end = randomCursor() }
    case 10:
      query.orders = [Order(field, .descending)]
      query.start = randomCursor()
      query.limit = 3
    case 11: query.orders = [Order(FieldPath(["at"]), .descending)]
    case 7: query.orders = [Order(FieldPath(["serial"]), .descending)]
    case 8:
      query.filter = .or([
        .field(FieldPath(["list"]), .arrayContains, .integer(2)),
        .field(field, .lessThan, .integer(3)),
      ])
      query.limit = 3
    case 0: return ListenQuery(document: ResourcePath(["c", randomID()]))
    case 1: query.filter = .field(field, .greaterThan, .integer(4))
    case 2: query.orders = [Order(field)]
    case 3:
      query.orders = [Order(field)]
      query.limit = 2
    case 4:
      query.orders = [Order(field)]
      query.limit = 3
      return try ListenQuery(query, limitType: .last)
    case 5: query = Query(scope: .collectionGroup("c"))
    default: break
    }
    return try ListenQuery(query)
  }

  private mutating func randomCursor() -> Cursor {
    let value = Value.integer(Int64.random(in: 0..<10, using: &random))
    return Cursor(values: [value], before: Bool.random(using: &random))
  }

  private mutating func nextBundle() -> Int64 {
    written += 1
    return written
  }

  private mutating func randomID() -> Text { RandomWrites.ids.randomElement(using: &random) ?? "a" }

  private mutating func randomWrites() -> [Write] {
    written += 1
    return RandomWrites(database: server.database).next(serial: written * 10, using: &random)
  }

  // MARK: The end

  /// Lets every user of every client send the queued writes, then compares.
  ///
  /// It is not known if the queue took the `unknown` batches: their process ended while they were
  /// written.
  package mutating func finish(unknown: Int = 0) throws {
    let everything = try ListenQuery(Query(scope: .collection("c")))
    for client in clients {
      client.store.failingLabels = []
      try client.send(.enableNetwork)
      try client.listen(everything, ListenOptions(includesMetadataChanges: true))
    }
    for user in users {
      for client in clients { try client.changeUser(user) }
      try settle()
      for client in clients { client.sendHeartbeat() }
      try settle()
      for client in clients { try client.checkConverged() }
    }
    try checkWrites(unknown: unknown)
  }

  private mutating func settle() throws {
    for _ in 0..<20_000 {
      var isBusy = false
      for client in clients {
        if try client.deliverWatch() { isBusy = true }
        if try client.deliverWrite() { isBusy = true }
        if client.handleRequest() { isBusy = true }
        for timer in [SyncTimer.watchBackoff, .writeBackoff, .storageRetry]
        where client.timers.contains(timer) {
          try client.fire(timer)
          isBusy = true
        }
      }
      if !isBusy { return }
    }
    throw Violation("the clients do not come to rest")
  }

  /// Every write that a client accepted was judged once, and in its order.
  private func checkWrites(unknown: Int) throws {
    for client in clients {
      for user in users {
        let judged = server.judged(of: client.number, user)
        guard judged.map(\.batch) == judged.map(\.batch).sorted() else {
          throw Violation("a batch came out of order")
        }
        var accepted = (client.accepted[user] ?? [])[...]
        for batch in judged where batch.writes == accepted.first { accepted.removeFirst() }
        let others = judged.count - (client.accepted[user] ?? []).count
        guard accepted.isEmpty, others <= unknown else {
          throw Violation("a write was lost, changed or came twice")
        }
      }
    }
  }
}
