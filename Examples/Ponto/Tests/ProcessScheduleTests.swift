import ExampleTesting
import Foundation
import RESTClient
import Testing

/// The same promise with real processes: the service and the client as programs, killed with
/// SIGKILL at random moments, their files on the disk.
@Suite(.serialized) struct `Ponto schedules with processes` {
  private static let count = 50

  @Test func `kill -9 of either side loses nothing and doubles nothing`() async throws {
    let first = UInt64(ProcessInfo.processInfo.environment["PONTO_SEED"] ?? "") ?? 1
    print("Ponto process schedules: seeds \(first)...\(first + UInt64(Self.count) - 1)")
    for seed in first..<first + UInt64(Self.count) {
      try await ProcessSchedule(seed: seed).run()
    }
  }
}

/// One schedule with processes.
private final class ProcessSchedule {
  private let seed: UInt64
  private var random: SplitMix
  private let folder: Folder
  private var service: Program
  private var client: Program
  private let address: URL
  /// In the order of registering; whether the client confirmed it before it was killed.
  private var registered: [(id: UUID, isAcknowledged: Bool)] = []

  init(seed: UInt64) throws {
    self.seed = seed
    random = SplitMix(state: seed)
    folder = try Folder()
    service = try Self.startService(folder, port: "0")
    let line = try #require(service.readLine())
    address = try #require(URL(string: String(line.dropFirst("listening on ".count))))
    client = try Self.startClient(folder, address)
  }

  deinit {
    client.kill()
    service.kill()
    folder.remove()
  }

  func run() async throws {
    for _ in 0..<Int.random(in: 3...7, using: &random) {
      switch Int.random(in: 0..<6, using: &random) {
      case 0: try restartService()
      case 1: try restartClient()
      case 2: try killDuringSync()
      default: register()
      }
      if Bool.random(using: &random) { sync() }
    }
    try restartService()
    try restartClient()
    client.write("sync")
    #expect(client.readLine() == "done", "seed \(seed)")
    try await check()
  }

  /// Registers; one time in four the client is killed before it can be known whether it did.
  private func register() {
    let id = UUID.random(using: &random)
    client.write("register \(id) \(1_634_884_440 + registered.count * 60)")
    if Int.random(in: 0..<4, using: &random) == 0 {
      client.kill()
      registered.append((id, false))
    } else {
      let isAcknowledged = client.readLine() == "registered \(id)"
      registered.append((id, isAcknowledged))
    }
    if !client.isAlive { client = (try? Self.startClient(folder, address)) ?? client }
  }

  private func sync() {
    client.write("sync")
    _ = client.readLine()
  }

  /// The client is asked to send, and one of both sides is killed while it does.
  private func killDuringSync() throws {
    client.write("sync")
    for _ in 0..<Int.random(in: 0..<2000, using: &random) { sched_yield() }
    if Bool.random(using: &random) {
      try restartClient()
    } else {
      try restartService()
      _ = client.readLine()
    }
  }

  private func restartService() throws {
    service.kill()
    service = try Self.startService(folder, port: "\(address.port ?? 0)")
    #expect(service.readLine()?.hasPrefix("listening on") == true, "seed \(seed)")
  }

  private func restartClient() throws {
    client.kill()
    client = try Self.startClient(folder, address)
  }

  private func check() async throws {
    let stored = try await raw(.get, address, "/recibos").array
      .compactMap { ($0["id"] as? String).flatMap { UUID(uuidString: $0) } }
    #expect(Set(stored).count == stored.count, "doubled, seed \(seed)")
    let acknowledged = registered.filter(\.isAcknowledged).map(\.id)
    #expect(Set(stored).isSuperset(of: acknowledged), "lost, seed \(seed)")
    #expect(Set(stored).isSubset(of: registered.map(\.id)), "invented, seed \(seed)")
    let order = registered.map(\.id).filter(stored.contains)
    #expect(stored == order, "order, seed \(seed)")
  }

  private static func startService(_ folder: Folder, port: String) throws -> Program {
    try Program(
      "ponto-service",
      "--database",
      folder.file("server.sqlite").path,
      "--port",
      port
    )
  }

  private static func startClient(_ folder: Folder, _ address: URL) throws -> Program {
    let program = try Program(
      "ponto-client",
      "--service",
      address.absoluteString,
      "--folder",
      folder.file("client").path
    )
    #expect(program.readLine() == "ready")
    return program
  }
}

/// A running `examples` program, spoken to by lines.
private final class Program {
  private let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var buffer = Data()

  init(_ arguments: String...) throws {
    let tests = URL(filePath: ProcessInfo.processInfo.arguments[0])
    process.executableURL = tests.deletingLastPathComponent().appending(path: "examples")
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    try process.run()
  }

  var isAlive: Bool { process.isRunning }

  /// To a process that is gone nothing can be said; that is part of the schedules.
  func write(_ line: String) {
    try? input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
  }

  /// The next line; nil when the process has ended.
  func readLine() -> String? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        defer { buffer = Data(buffer[(end + 1)...]) }
        return String(decoding: buffer[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { return nil }
      buffer += more
    }
  }

  func kill() {
    guard process.isRunning else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
