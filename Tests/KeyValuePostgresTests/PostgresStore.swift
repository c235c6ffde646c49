import Foundation
import KeyValueStore
import PostgresTestSupport
import Testing

@testable import KeyValuePostgres

/// A store of a test's own, in a schema of its own, on the run's server or on one that the test makes.
struct PostgresStore {
  let address: String
  let schema = "t_" + UUID().uuidString.lowercased().replacing("-", with: "")

  /// A store on the server that all tests share.
  init() throws { self.init(address: try PostgresServer.shared.get().address) }

  init(address: String) { self.address = address }

  /// Returns the configuration for opening an engine on it; it waits for a machine under load.
  func configuration(_ sharing: PostgresConfiguration.Sharing = .exclusive) -> PostgresConfiguration
  {
    var configuration = PostgresConfiguration(address: address)
    configuration.schema = schema
    configuration.sharing = sharing
    configuration.viewConnections = 12
    configuration.patience = .seconds(600)
    configuration.groupIdleMilliseconds = 60_000
    return configuration
  }

  func open(_ sharing: PostgresConfiguration.Sharing = .exclusive) throws -> PostgresEngine {
    try PostgresEngine(configuration(sharing))
  }

  /// Runs SQL beside the engines.
  @discardableResult
  func run(_ text: String) throws -> PostgresResult {
    let connector = try Connector(configuration())
    return try connector.connect(for: .views).run(text)
  }

  /// Ends the connections of the engines that have the store open.
  func cutEngines() throws {
    try run(
      """
      SELECT pg_terminate_backend(pid) FROM pg_locks
        WHERE locktype = 'advisory' AND objid = hashtext('\(schema)')::bigint & 4294967295
      """
    )
  }

  /// Starts `postgres-writer` on it.
  func startWriter(_ arguments: String...) throws -> WriterProcess {
    try WriterProcess([address, schema] + arguments)
  }
}

/// Another process that writes to a store.
final class WriterProcess {
  private let process = Process()
  private let output = Pipe()
  private var rest: [UInt8] = []

  init(_ arguments: [String]) throws {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    process.executableURL = URL(fileURLWithPath: tests).deletingLastPathComponent()
      .appendingPathComponent("postgres-writer")
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
  }

  /// The next line that it prints; nil when it has ended.
  func line() -> String? {
    while true {
      if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        defer { rest.removeFirst(end + 1) }
        return String(decoding: rest[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { return nil }
      rest += more
    }
  }

  /// Lets a process that has stopped itself go on.
  func resume() { kill(process.processIdentifier, SIGCONT) }

  /// All further lines, once it has ended well.
  func finish() -> [String] {
    var lines: [String] = []
    while let line = line() { lines.append(line) }
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return lines
  }
}

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension KeyValueEngine {
  /// All keys, as a cursor finds them.
  func keys(reversed: Bool = false) throws -> [[UInt8]] {
    try read { view in
      let cursor = try view.cursor(over: KeyRange(lower: [], upper: nil), reversed: reversed)
      var keys: [[UInt8]] = []
      while try cursor.next() { keys.append(Array(cursor.key)) }
      return keys
    }
  }
}
