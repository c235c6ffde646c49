import ExampleTesting
import Foundation
import RESTClient
import Synchronization
import Testing

@testable import PontoCore

/// Random schedules of registering, deleting, synchronising, losing the network and stopping the
/// client after any durable step or in the middle of any request.
///
/// Each ends with the network up, the client started once more, and a synchronisation; then the
/// server must hold each receipt that was durably registered and not deleted exactly once, in the
/// order of registering.
@Suite struct `Ponto schedules` {
  private static let count = 950

  @Test func `the server ends with each receipt exactly once`() async throws {
    let first = UInt64(ProcessInfo.processInfo.environment["PONTO_SEED"] ?? "") ?? 1
    print("Ponto schedules: seeds \(first)...\(first + UInt64(Self.count) - 1)")
    for seed in first..<first + UInt64(Self.count) {
      try await Schedule(seed: seed).run()
    }
  }
}

/// One schedule; everything random in it follows from the seed.
private final class Schedule {
  private let seed: UInt64
  private var random: SplitMix
  private let server: FaultyServer
  private let stops = StopSwitch()
  private let folder: URL
  private var outbox: Outbox
  private var synchronizer: Synchronizer
  private var registered: [UUID] = []
  private var deleted: Set<UUID> = []

  init(seed: UInt64) throws {
    self.seed = seed
    random = SplitMix(state: seed)
    server = FaultyServer(seed: seed &* 31 &+ 7, stops: stops)
    let memory = URL(filePath: "/dev/shm")
    let base =
      FileManager.default.isWritableFile(atPath: memory.path)
      ? memory : FileManager.default.temporaryDirectory
    folder = base.appending(path: "ponto-\(seed)-\(UUID().uuidString)")
    outbox = try Self.open(folder, stops)
    synchronizer = Synchronizer(outbox: outbox, service: server)
  }

  deinit {
    try? FileManager.default.removeItem(at: folder)
  }

  func run() async throws {
    for _ in 0..<Int.random(in: 4...14, using: &random) {
      do {
        try await step()
      } catch is Stopped {
        try restart()
      }
    }
    server.heal()
    stops.disarm()
    try restart()
    try outbox.forgetRefusals()
    #expect(try await synchronizer.synchronize() == .done, "seed \(seed)")
    #expect(try outbox.entries().isEmpty, "seed \(seed)")
    check()
  }

  private func step() async throws {
    if Int.random(in: 0..<4, using: &random) == 0 {
      stops.arm(after: Int.random(in: 1...4, using: &random))
    }
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<5: try register()
    case 5: try delete()
    case 6: server.setNetwork(isUp: Bool.random(using: &random))
    case 7: try restart()
    default: break
    }
    _ = try await synchronizer.synchronize()
  }

  private func register() throws {
    let id = UUID.random(using: &random)
    let receipt = Receipt(
      id: id,
      date: Date(timeIntervalSince1970: Double(registered.count) * 60),
      place: .unknown
    )
    registered.append(id)
    try outbox.add(receipt, photo: nil)
  }

  private func delete() throws {
    guard let id = registered.randomElement(using: &random) else { return }
    deleted.insert(id)
    try outbox.addDeletion(of: id)
  }

  /// The client is gone; what is in its file is all that the next one knows.
  private func restart() throws {
    stops.disarm()
    outbox = try Self.open(folder, stops)
    synchronizer = Synchronizer(outbox: outbox, service: server)
  }

  private func check() {
    let expected = registered.filter { !deleted.contains($0) }
    #expect(Set(server.stored) == Set(expected), "seed \(seed)")
    #expect(server.stored.count == expected.count, "seed \(seed)")
    #expect(expected.allSatisfy { server.creations[$0] == 1 }, "seed \(seed)")
    let neverRefused = server.stored.filter { !server.refused.contains($0) }
    #expect(
      neverRefused == expected.filter { !server.refused.contains($0) },
      "order, seed \(seed)"
    )
  }

  private static func open(_ folder: URL, _ stops: StopSwitch) throws -> Outbox {
    try Outbox(file: folder.appending(path: "outbox.sqlite")) { try stops.pass() }
  }
}

private struct Stopped: Error {}

/// Stops the client at the nth point that it passes: a durable step, or a request.
private final class StopSwitch: Sendable {
  private let left = Mutex<Int?>(nil)

  func arm(after count: Int) { left.withLock { $0 = count } }
  func disarm() { left.withLock { $0 = nil } }

  func pass() throws {
    let isDue = left.withLock { left in
      left = left.map { $0 - 1 }
      return left == 0
    }
    if isDue { throw Stopped() }
  }
}

/// The server's contract in memory, behind a network that loses requests and replies.
private final class FaultyServer: ReceiptService {
  fileprivate struct State {
    var random: SplitMix
    var isUp = true
    var isFaulty = true
    var stored: [UUID] = []
    var creations: [UUID: Int] = [:]
    var refused: Set<UUID> = []
  }

  fileprivate enum Fault { case none, requestLost, replyLost, busy, refused, clientStopped }

  private let state: Mutex<State>
  private let stops: StopSwitch

  init(seed: UInt64, stops: StopSwitch) {
    state = Mutex(State(random: SplitMix(state: seed)))
    self.stops = stops
  }

  var stored: [UUID] { state.withLock(\.stored) }
  var creations: [UUID: Int] { state.withLock(\.creations) }
  var refused: Set<UUID> { state.withLock(\.refused) }

  func setNetwork(isUp: Bool) { state.withLock { $0.isUp = isUp } }

  func heal() {
    state.withLock { state in
      state.isUp = true
      state.isFaulty = false
    }
  }

  func receipts() async throws(RequestError) -> [Receipt] { [] }

  func post(_ receipt: Receipt) async throws(RequestError) {
    try handle(refusing: receipt.id) { state in
      guard !state.stored.contains(receipt.id) else { return }
      state.stored.append(receipt.id)
      state.creations[receipt.id, default: 0] += 1
    }
  }

  func delete(_ id: UUID) async throws(RequestError) {
    try handle(refusing: nil) { state in state.stored.removeAll { $0 == id } }
  }

  private func handle(refusing id: UUID?, _ apply: (inout State) -> Void) throws(RequestError) {
    let fault = state.withLock { state in
      let fault = state.nextFault(canRefuse: id != nil)
      switch fault {
      case .none, .replyLost, .clientStopped: apply(&state)
      case .refused: if let id { state.refused.insert(id) }
      case .requestLost, .busy: break
      }
      return fault
    }
    switch fault {
    case .none: return
    case .requestLost, .replyLost: throw RequestError(.transport)
    case .busy: throw RequestError(.server, status: 503)
    case .refused: throw RequestError(.refused, status: 400, serverMessage: "não")
    case .clientStopped:
      stops.arm(after: 1)
      throw RequestError(.timedOut)
    }
  }
}

extension FaultyServer.State {
  fileprivate mutating func nextFault(canRefuse: Bool) -> FaultyServer.Fault {
    guard isFaulty else { return .none }
    guard isUp else { return .requestLost }
    switch Int.random(in: 0..<12, using: &random) {
    case 0: return .requestLost
    case 1: return .replyLost
    case 2: return .busy
    case 3: return canRefuse ? .refused : .none
    case 4: return .clientStopped
    default: return .none
    }
  }
}

/// Steele, Lea and Flood's SplitMix64.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }
}

extension UUID {
  static func random(using generator: inout SplitMix) -> UUID {
    let high = generator.next()
    let low = generator.next()
    func byte(_ word: UInt64, _ index: UInt64) -> UInt8 {
      UInt8(truncatingIfNeeded: word >> (index * 8))
    }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
        byte(high, 6), byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3),
        byte(low, 4), byte(low, 5), byte(low, 6), byte(low, 7)
      )
    )
  }
}
