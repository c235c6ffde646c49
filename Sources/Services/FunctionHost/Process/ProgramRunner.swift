import BaseStatus
import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs programs to their end: the steps of a deployment.
struct ProgramRunner: Sendable {
  let thread: ProcessThread

  /// The result of a program.
  struct Result: Sendable {
    let end: ProgramEnd
    /// The first bytes of its standard output.
    let output: String
    /// The last lines of everything that it wrote.
    let tail: String

    var isSuccess: Bool { end == .exited(0) }
  }

  private struct Written {
    var output: [UInt8] = []
    var tail: [UInt8] = []
    var line: [UInt8] = []
  }

  private static let mostOutput = 64 << 10
  private static let mostTail = 8 << 10

  /// Runs a program to its end, which comes after that many seconds at the latest.
  ///
  /// Its lines go to `tell` as they come.
  func run(
    _ program: ConfinedProgram,
    seconds: Double,
    tell: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> Result {
    let box = WrittenBox()
    let (ends, finish) = AsyncStream<ProgramEnd>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let process = try await thread.start(program) { bytes, isError in
      for line in box.take(bytes, isError: isError) { tell(line) }
    } end: {
      finish.yield($0)
      finish.finish()
    }
    let limit = Task { [thread] in
      try await Task.sleep(for: .seconds(seconds))
      thread.signal(process, SIGKILL)
    }
    defer { limit.cancel() }
    var end = ProgramEnd.signalled(SIGKILL)
    await withTaskCancellationHandler {
      for await value in ends { end = value }
    } onCancel: {
      thread.signal(process, SIGKILL)
    }
    return Result(end: end, output: box.output, tail: box.tail)
  }

  /// The output of a program so far.
  private final class WrittenBox: Sendable {
    private let written = Mutex(Written())

    var output: String { written.withLock { String(decoding: $0.output, as: UTF8.self) } }
    var tail: String { written.withLock { String(decoding: $0.tail, as: UTF8.self) } }

    /// Keeps bytes and returns the lines that they end.
    func take(_ bytes: [UInt8], isError: Bool) -> [String] {
      written.withLock { written in
        if !isError {
          written.output += bytes.prefix(ProgramRunner.mostOutput - written.output.count)
        }
        written.tail += bytes
        if written.tail.count > ProgramRunner.mostTail {
          written.tail.removeFirst(written.tail.count - ProgramRunner.mostTail)
        }
        var lines: [String] = []
        for byte in bytes {
          if byte == 10 {
            lines.append(String(decoding: written.line, as: UTF8.self))
            written.line = []
          } else if written.line.count < 1_000 {
            written.line.append(byte)
          }
        }
        return lines
      }
    }
  }
}
