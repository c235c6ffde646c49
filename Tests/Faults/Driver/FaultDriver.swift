import Dispatch
import KeyValueRocksDB
import KeyValueStore

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// Writes numbered groups to a RocksDB engine and says on a mark file what was acknowledged.
///
///     engine-fault-driver DIRECTORY MARKS FIRST COUNT [retry | shared | close]
///
/// Group k puts `k % 5 + 1` keys named after k, all with one value that begins with k; every eighth
/// value is long enough to span blocks of the log. It also puts the key `head`, and deletes the keys
/// of group k - 20. Marks, one a line:
///
/// - `arm`: the engine is open;
/// - `ack k VERSION`: group k was acknowledged, under that version;
/// - `time T`: a view was given that read time;
/// - `failed k CODE MESSAGE`, then `after k CODE`: group k failed, and so did the one tried after it.
///
/// With `retry`, attempt a of group k also puts the key `try-k-a`, and a group that failed is tried again
/// until it is acknowledged, for ten seconds at most; the mark `landed k a` then says by which attempt.
///
/// With `shared`, each key of group k is a write of its own; all of them, and one more that puts the key
/// `never-k` and fails, wait for the same group of the engine.
///
/// With `close`, the engine is read and closed in an orderly way after a group that failed.
///
/// It exits with 0 when all groups were acknowledged; with 3, at once and without closing the
/// engine unless told to, when one failed; with 1, after printing why, when the engine did not open or close.
@main
struct FaultDriver {
  private let engine: RocksDBEngine
  private let marks: Marks
  private let isShared: Bool

  static func main() {
    do {
      try run()
    } catch {
      print("\((error as? KeyValueError)?.message ?? "\(error)")")
      exit(1)
    }
  }

  private static func run() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 5, let first = Int(arguments[3]), let count = Int(arguments[4]) else {
      print("usage: engine-fault-driver DIRECTORY MARKS FIRST COUNT [retry | shared | close]")
      exit(2)
    }
    let marks = try Marks(path: arguments[2])
    var configuration = RocksDBConfiguration()
    configuration.blockCacheBytes = 1 << 20
    configuration.writeBufferBytes = 128 << 10
    configuration.groupLimits.leadersLanding = .seconds(60)
    let engine = try RocksDBEngine(directory: arguments[1], configuration: configuration)
    marks.write("arm")
    let isShared = arguments.last == "shared"
    let driver = FaultDriver(engine: engine, marks: marks, isShared: isShared)
    let retries = arguments.last == "retry"
    for number in first..<(first + count) {
      guard retries ? driver.runUntilAcknowledged(number) : driver.runGroup(number) else {
        if arguments.last == "close" {
          marks.write("time \(try engine.read { try $0.readTime() })")
          try engine.close()
        }
        _exit(3)
      }
    }
    try engine.close()
  }

  private func runGroup(_ number: Int) -> Bool {
    do {
      let version = try write(number)
      marks.write("ack \(number) \(version)")
      if number % 3 == 0 {
        marks.write("time \(try engine.read { try $0.readTime() })")
      }
      return true
    } catch let failure as KeyValueError {
      marks.write("failed \(number) \(failure.code.rawValue) \(failure.message)")
      reportNext(number)
      return false
    } catch {
      marks.write("failed \(number) unknown \(error)")
      return false
    }
  }

  private func runUntilAcknowledged(_ number: Int) -> Bool {
    let deadline = ContinuousClock.now + .seconds(10)
    var attempt = 0
    while ContinuousClock.now < deadline {
      do {
        let version = try write(number, attempt: attempt)
        marks.write("landed \(number) \(attempt)")
        marks.write("ack \(number) \(version)")
        marks.write("time \(try engine.read { try $0.readTime() })")
        return true
      } catch {
        let message = (error as? KeyValueError)?.message ?? "\(error)"
        marks.write("failed \(number) \(attempt) \(message)")
        attempt += 1
        usleep(20_000)
      }
    }
    return false
  }

  private func reportNext(_ number: Int) {
    do {
      _ = try write(number)
      marks.write("after \(number) acknowledged")
    } catch {
      marks.write("after \(number) \((error as? KeyValueError)?.code.rawValue ?? "unknown")")
    }
  }

  private func write(_ number: Int, attempt: Int? = nil) throws -> Int64 {
    let length = number % 8 == 0 ? 90_000 : 200
    let value = Array("\(number) ".utf8) + [UInt8](repeating: 0x2E, count: length)
    if isShared { return try SharedWrites(number, value).run(on: engine) }
    // Every other group may be written by this thread itself.
    return try engine.write(mayLead: number % 2 == 1) { group in
      let version = try group.allocateVersion()
      for key in Self.keys(number) {
        try group.put(key, value)
      }
      for key in Self.keys(number - 20) where number >= 20 {
        try group.delete(key)
      }
      try group.put(Array("head".utf8), Array("\(number)".utf8))
      if let attempt { try group.put(Array("try-\(number)-\(attempt)".utf8), [1]) }
      return version
    }
  }

  static func keys(_ number: Int) -> [[UInt8]] {
    (0...(max(number, 0) % 5)).map { Array("group-\(number)-\($0)".utf8) }
  }
}

/// The writes of one numbered group, each a body of its own, all in one group of the engine.
///
/// `@unchecked Sendable`: until all outcomes are there only the engine's writing thread touches it.
private final class SharedWrites: @unchecked Sendable {
  private let number: Int
  private let value: [UInt8]
  private let done = DispatchSemaphore(value: 0)
  private var pending = 0
  private var version: Int64 = 0
  private var failure: (any Error)?

  init(_ number: Int, _ value: [UInt8]) {
    self.number = number
    self.value = value
  }

  /// Returns the version of the group; throws what one of its writes failed with.
  func run(on engine: RocksDBEngine) throws -> Int64 {
    // What is submitted on the writing thread waits for the same group, the next one.
    let start = QueuedWrite(.interactive) { _ in
    } completion: { _ in
      self.submitAll(to: engine)
    }
    engine.submit(start)
    done.wait()
    if let failure { throw failure }
    return version
  }

  private func submitAll(to engine: RocksDBEngine) {
    let gone = number >= 20 ? FaultDriver.keys(number - 20) : []
    var bodies: [@Sendable (any KeyValueGroup) throws -> Void] = []
    for key in FaultDriver.keys(number) { bodies.append { try $0.put(key, self.value) } }
    for key in gone { bodies.append { try $0.delete(key) } }
    bodies.append { group in
      self.version = try group.allocateVersion()
      try group.put(Array("head".utf8), Array("\(self.number)".utf8))
    }
    pending = bodies.count
    for (index, body) in bodies.enumerated() {
      engine.submit(QueuedWrite(.interactive, body: body) { self.settle($0) })
      if index == 0 { engine.submit(refusedWrite) }
    }
  }

  private var refusedWrite: QueuedWrite {
    QueuedWrite(.interactive) { [number] group in
      try group.put(Array("never-\(number)".utf8), [1])
      throw CancellationError()
    } completion: { _ in
    }
  }

  private func settle(_ outcome: Result<Void, any Error>) {
    if case .failure(let error) = outcome { failure = error }
    pending -= 1
    if pending == 0 { done.signal() }
  }
}

/// The mark file: every mark is one `write`, so that a trace has it whole.
private struct Marks {
  private let descriptor: Int32

  init(path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    guard descriptor >= 0 else {
      throw KeyValueError(.inputOutput, "cannot open \(path)")
    }
  }

  func write(_ text: String) {
    let line = Array((text + "\n").utf8)
    let count = line.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
    precondition(count == line.count, "the mark file takes no more")
  }
}
