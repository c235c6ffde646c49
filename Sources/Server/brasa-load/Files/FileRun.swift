import Foundation

/// Opens connections with one request in flight each, and gathers their measurements.
///
/// A round counts if it ends while the run measures; the run waits for requests in flight at the
/// end.
struct FileRun: Sendable {
  /// The length of a run.
  enum Length: Sendable {
    case seconds(warmUp: Int, Int)
    /// Until the operations have no more to do.
    case untilDone
  }

  /// The results of a run.
  struct Outcome: Sendable {
    var measurement = FileMeasurement()
    /// The duration of the measurement in seconds.
    var seconds: Double
    /// Time on processors that the server took while the run measured; nil if unknown.
    var serverSeconds: Double?
    /// The server's resident bytes before, and the most that were seen.
    var residentBytes: (before: Int, most: Int)?
  }

  let target: FileTarget
  let connections: Int
  let threads: Int
  let seed: UInt64
  let content: FileContent
  let serverProcess: Int32?
  /// Nanoseconds between the beginnings of a connection's rounds, at least.
  var interval: Int64 = 0
  /// The operation of a connection.
  let operation: @Sendable (_ connection: Int) -> any FileOperation

  /// Runs to the end.
  func execute(_ length: Length) async throws -> Outcome {
    let begun = monotonicNanoseconds()
    let (from, end) = Self.bounds(length, begun)
    let watch = serverProcess.map { ServerWatch(processID: $0, from: from, end: end) }
    watch?.start()
    var total = FileMeasurement()
    try await withThrowingTaskGroup(of: FileMeasurement.self) { group in
      for thread in 0..<min(threads, connections) {
        group.addTask {
          try await Self.onThread { try drive(thread, measuringFrom: from, until: end) }
        }
      }
      for try await part in group { total.merge(part) }
    }
    let finished = monotonicNanoseconds()
    let seconds = Double(min(end, finished) - from) / 1e9
    let seen = watch?.stop()
    return Outcome(
      measurement: total,
      seconds: seconds,
      serverSeconds: seen?.processorSeconds,
      residentBytes: seen.map { ($0.residentBefore, $0.residentMost) }
    )
  }

  private static func bounds(_ length: Length, _ begun: Int64) -> (Int64, Int64) {
    switch length {
    case .untilDone: return (begun, .max)
    case .seconds(let warmUp, let seconds):
      let from = begun + Int64(warmUp) * 1_000_000_000
      return (from, from + Int64(seconds) * 1_000_000_000)
    }
  }

  /// One request outside any measurement.
  static func call(_ request: FileRequest, to target: FileTarget) throws -> FileAnswer {
    let connection = try FileConnection(target, FileContent(seed: 0, length: 1))
    var poller = try Poller()
    try poller.add(connection.descriptor, number: 0)
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { buffer.deallocate() }
    try connection.send(request)
    let deadline = monotonicNanoseconds() + 120_000_000_000
    while monotonicNanoseconds() < deadline {
      try poller.wait(milliseconds: 1_000) { _ in }
      try connection.sendMore()
      if let answer = try connection.receive(into: buffer) { return answer }
    }
    throw LoadError.noAnswer(request.path)
  }

  /// Runs on a thread of its own, for work that blocks.
  private static func onThread<R: Sendable>(
    _ body: @escaping @Sendable () throws -> R
  ) async throws -> R {
    try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result(catching: body)) }
    }
  }

  /// Drives the connections of one thread until all that they do is done.
  private func drive(
    _ thread: Int,
    measuringFrom from: Int64,
    until end: Int64
  ) throws
    -> FileMeasurement
  {
    let loop = try FileLoop(self, measuringFrom: from, until: end)
    for number in stride(from: thread, to: connections, by: threads) {
      let random = RandomSource(seed: seed &+ UInt64(number) &* 0x1_0000_0001)
      try loop.open(number, operation(number), random)
    }
    return try loop.run()
  }
}
