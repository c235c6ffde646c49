import NIOCore
import NIOHTTP2
import NIOPosix

/// Opens the connections, has them work, and gathers what they measured.
struct LoadRun {
  let target: LoadTarget
  let connections: Int
  let threads: Int
  let seed: UInt64
  /// The operations of one connection, a slot each; called once a connection.
  let operations: (_ connection: Int) -> [any Operation]

  /// A run as the options say, with one kind of operation in every slot.
  init(_ options: ServerOptions, operation: @escaping (_ slot: Int) -> any Operation) {
    target = options.target
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
    self.target = target
    connections = 1
    threads = 1
    seed = 0
    operations = { _ in [operation] }
  }

  /// Runs to the end and gives what all connections measured.
  func execute(warmUp: Int, seconds: Int) async throws -> Measurement {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
    do {
      let measurement = try await execute(on: group, warmUp: warmUp, seconds: seconds)
      try await group.shutdownGracefully()
      return measurement
    } catch {
      try await group.shutdownGracefully()
      throw error
    }
  }

  private func execute(
    on group: MultiThreadedEventLoopGroup,
    warmUp: Int,
    seconds: Int
  ) async throws -> Measurement {
    let from = NIODeadline.now() + .seconds(Int64(warmUp))
    let plan = RunPlan(target: target, measureFrom: from, end: from + .seconds(Int64(seconds)))
    var results: [EventLoopFuture<Measurement>] = []
    for connection in 0..<connections {
      results.append(try await open(connection, plan, on: group.next()))
    }
    var total = Measurement(slots: 0)
    for result in results { total.merge(try await result.get()) }
    return total
  }

  private func open(
    _ connection: Int,
    _ plan: RunPlan,
    on eventLoop: any EventLoop
  ) async throws -> EventLoopFuture<Measurement> {
    let done = eventLoop.makePromise(of: Measurement.self)
    let operations = operations(connection)
    let random = RandomSource(seed: seed &+ UInt64(connection) &* 0x1_0000_0001)
    do {
      _ = try await ClientBootstrap(group: eventLoop)
        .channelOption(.socketOption(.tcp_nodelay), value: 1)
        .connectTimeout(.seconds(10))
        .channelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(
              NIOHTTP2Handler(mode: .client, initialSettings: LoadConnection.settings)
            )
            try pipeline.addHandler(
              LoadConnection(plan: plan, operations: operations, random: random, done: done)
            )
          }
        }
        .connect(host: plan.target.host, port: plan.target.port)
        .get()
    } catch {
      done.fail(error)
      throw LoadError.cannotConnect("\(plan.target.host):\(plan.target.port): \(error)")
    }
    return done.futureResult
  }
}

/// Why a run could not be made.
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
