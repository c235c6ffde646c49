import NIOCore
import NIOPosix
import Testing

@testable import Gateway

/// Connections of one event loop share the time that it has for reading.
@Suite struct ReadTurnsTests {
  private let eventLoop = MultiThreadedEventLoopGroup.singleton.next()

  /// Runs the body between two rounds of the loop's other work.
  private func inRound(
    _ turns: NIOLoopBound<ReadTurns>,
    _ body: @escaping @Sendable (ReadTurns) -> Void
  ) async throws {
    try await eventLoop.submit { body(turns.value) }.get()
  }

  private func turns() async throws -> NIOLoopBound<ReadTurns> {
    try await eventLoop.submit { [eventLoop] in
      NIOLoopBound(ReadTurns(eventLoop: eventLoop), eventLoop: eventLoop)
    }.get()
  }

  @Test func `connections that are counted share one round`() async throws {
    let turns = try await turns()
    try await inRound(turns) { turns in
      #expect(turns.turn(isCounted: true) == .milliseconds(1))
      turns.count(.microseconds(600))
      #expect(turns.turn(isCounted: true) == .microseconds(400))
      turns.count(.microseconds(600))
      #expect(turns.turn(isCounted: true) == .microseconds(40))
      #expect(!turns.hasTime)
      // A connection that makes no work in vain has its whole turn.
      #expect(turns.turn(isCounted: false) == .milliseconds(1))
    }
    try await inRound(turns) { #expect($0.turn(isCounted: true) == .milliseconds(1)) }
  }

  /// Reads something that takes 300 µs in each of its turns, as often as it is told.
  private final class Reader: ReadTurns.Taker {
    private let turns: ReadTurns
    private var left: Int
    private let read: () -> Void

    init(_ turns: ReadTurns, times: Int, read: @escaping () -> Void) {
      self.turns = turns
      left = times
      self.read = read
    }

    func takeTurn() {
      guard turns.hasTime else { return turns.append(self) }
      turns.count(.microseconds(300))
      read()
      left -= 1
      if left > 0 { turns.append(self) }
    }
  }

  @Test func `readers that wait for time are served in order`() async throws {
    let turns = try await turns()
    let order = try await withCheckedThrowingContinuation { continuation in
      eventLoop.execute {
        var order: [Int] = []
        for number in 0..<10 {
          let reader = Reader(turns.value, times: 2) {
            order.append(number)
            if order.count == 20 { continuation.resume(returning: order) }
          }
          turns.value.append(reader)
        }
      }
    }
    #expect(order == Array(0..<10) + Array(0..<10))
  }

  /// Takes turns until it is stopped.
  private final class Hungry: ReadTurns.Taker {
    private static let mostTurns = 1_000_000
    private let turns: ReadTurns
    private var taken = 0
    var isStopped = false
    var isStarving: Bool { taken == Self.mostTurns }

    init(_ turns: ReadTurns) { self.turns = turns }

    func takeTurn() {
      taken += 1
      if !isStopped, !isStarving { turns.append(self) }
    }
  }

  /// Stops the hungry one as soon as a byte has come.
  private final class Stopper: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let hungry: NIOLoopBound<Hungry>

    init(_ hungry: NIOLoopBound<Hungry>) { self.hungry = hungry }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      hungry.value.isStopped = true
    }
  }

  @Test func `the loop looks at its sockets between two rounds`() async throws {
    let turns = try await turns()
    let hungry = try await eventLoop.submit { [eventLoop] in
      NIOLoopBound(Hungry(turns.value), eventLoop: eventLoop)
    }.get()
    let listener = try await ServerBootstrap(group: eventLoop)
      .childChannelInitializer { $0.pipeline.addHandler(Stopper(hungry)) }
      .bind(host: "127.0.0.1", port: 0).get()
    let other = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let client = try await ClientBootstrap(group: other)
      .connect(to: try #require(listener.localAddress)).get()
    try await eventLoop.submit { turns.value.append(hungry.value) }.get()
    try await client.writeAndFlush(ByteBuffer(string: "x"))
    var isTold = false
    while !isTold {
      let isDone = { @Sendable in hungry.value.isStopped || hungry.value.isStarving }
      isTold = try await eventLoop.submit(isDone).get()
    }
    #expect(try await eventLoop.submit { hungry.value.isStopped }.get())
    try await client.close()
    try await listener.close()
    try await other.shutdownGracefully()
  }
}
