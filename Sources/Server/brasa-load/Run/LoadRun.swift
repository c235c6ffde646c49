import Foundation

/// Opens the connections, has them work, and gathers what they measured.
struct LoadRun {
  /// The nodes; connections go to them in turn.
  let targets: [LoadTarget]
  let connections: Int
  let threads: Int
  let seed: UInt64
  /// Calls a second of all connections together; nil begins each with the response to the one before.
  var rate: Int?
  /// The operations of one connection, a slot each; called once a connection.
  let operations: (_ connection: Int) -> [any Operation]

  /// A run as the options say, with one kind of operation in every slot.
  init(_ options: ServerOptions, operation: @escaping (_ slot: Int) -> any Operation) {
    targets = options.address.targets
    connections = options.connections
    threads = options.threads
    seed = options.seed
    let inFlight = options.inFlight
    operations = { connection in (0..<inFlight).map { operation(connection * inFlight + $0) } }
  }

  /// A single call outside any measurement.
  static func call(_ call: OutgoingCall, to target: LoadTarget) async throws -> Answer {
    let box = AnswerBox()
    let run = LoadRun(target: target, operation: OneCallOperation(call: call, answer: box))
    _ = try await run.execute(warmUp: 0, seconds: 120)
    guard let answer = box.answer else { throw LoadError.noAnswer(call.method.path) }
    return answer
  }

  private init(target: LoadTarget, operation: OneCallOperation) {
    targets = [target]
    connections = 1
    threads = 1
    seed = 0
    operations = { _ in [operation] }
  }

  /// Runs to the end and gives what all connections measured.
  func execute(warmUp: Int, seconds: Int) async throws -> Measurement {
    let from = monotonicNanoseconds() + Int64(warmUp) * 1_000_000_000
    let end = from + Int64(seconds) * 1_000_000_000
    let all = (0..<connections).map { number in
      ConnectionPlan(
        plan: RunPlan(target: targets[number % targets.count], measureFrom: from, end: end),
        operations: operations(number),
        random: RandomSource(seed: seed &+ UInt64(number) &* 0x1_0000_0001)
      )
    }
    var total = Measurement(slots: 0)
    try await withThrowingTaskGroup(of: Measurement.self) { group in
      for thread in 0..<min(threads, connections) {
        let own = stride(from: thread, to: connections, by: threads).map { all[$0] }
        let interval = rate.map { Int64(connections) * 1_000_000_000 / Int64($0 * own.count) }
        group.addTask { try await Self.onThread { try Self.run(own, until: end, every: interval) } }
      }
      for try await measurement in group { total.merge(measurement) }
    }
    return total
  }

  private struct ConnectionPlan: Sendable {
    let plan: RunPlan
    let operations: [any Operation]
    let random: RandomSource
  }

  /// Runs on a thread of its own, for work that blocks.
  private static func onThread<R: Sendable>(
    _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
  }

  /// Drives some connections until all that they do is done.
  ///
  /// - Parameter interval: Nanoseconds from one call of theirs to the next; nil begins them with responses.
  private static func run(
    _ parts: [ConnectionPlan],
    until end: Int64,
    every interval: Int64?
  ) throws -> Measurement {
    let loop = try ConnectionLoop()
    let pace = interval.map { Pace(start: monotonicNanoseconds(), interval: $0, end: end) }
    let connections = try parts.map {
      try LoadConnection(
        plan: $0.plan,
        operations: $0.operations,
        random: $0.random,
        loop: loop,
        pace: pace
      )
    }
    let deadline = monotonicNanoseconds() + 10_000_000_000
    guard try loop.run(until: deadline, { connections.allSatisfy(\.isReady) }) else {
      let nodes = Set(parts.map { "\($0.plan.target.host):\($0.plan.target.port)" })
      throw LoadError.cannotConnect("\(nodes.sorted().joined(separator: ", ")): no answer")
    }
    for connection in connections { try connection.begin() }
    // The run waits for requests in flight at the end.
    let last = end + 120_000_000_000
    if let pace {
      try keep(pace, of: connections, on: loop, until: last)
    } else {
      try loop.run(until: last) { connections.allSatisfy(\.isDone) }
    }
    for connection in connections { try connection.close() }
    var total = connections.reduce(into: Measurement(slots: 0)) { $0.merge($1.measurement) }
    for _ in 0..<(pace?.missed ?? 0) { total.add(error: "not begun in time") }
    return total
  }

  /// Has connections start the due requests, in turn, until all are done.
  private static func keep(
    _ pace: Pace,
    of connections: [LoadConnection],
    on loop: ConnectionLoop,
    until last: Int64
  ) throws {
    var turn = 0
    while !connections.allSatisfy(\.isDone), monotonicNanoseconds() < last {
      var failures = 0
      while failures < connections.count {
        let began = try connections[turn].beginDue(now: monotonicNanoseconds())
        failures = began ? 0 : failures + 1
        turn = (turn + 1) % connections.count
      }
      if pace.isOver { for connection in connections { connection.endFree() } }
      // If a due request found no free slot, a response frees one, and the request takes it.
      let now = monotonicNanoseconds()
      let wake = pace.next > now && !pace.isOver ? pace.next : now + 1_000_000
      try loop.run(until: min(wake, last)) { connections.allSatisfy(\.isDone) }
    }
  }
}

/// The reason why a run could not be made.
enum LoadError: Error, CustomStringConvertible {
  case cannotConnect(String)
  case noAnswer(String)
  case refused(String)

  var description: String {
    switch self {
    case .cannotConnect(let detail): "Cannot connect to \(detail)"
    case .noAnswer(let path): "\(path): the connection ended without an answer."
    case .refused(let detail): detail
    }
  }
}
