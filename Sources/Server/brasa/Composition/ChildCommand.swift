import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs a command of this program in a process of its own, with its own memory.
///
/// The command has `--ends-with-input`: its standard input is a pipe that this process holds, which the system closes with this
/// process however it ends. So no command goes on without its server, and beside the next one.
struct ChildCommand: Sendable {
  /// The file that gets everything that the command writes.
  let report: String

  /// Runs the command to its end, or ends it with the task; throws a failure with the command's last line.
  func run(_ arguments: [String]) async throws {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.arguments = arguments + ["--ends-with-input"]
    // A file takes as much as there is.
    let isMade = FileManager.default.createFile(
      atPath: report,
      contents: nil,
      attributes: [.posixPermissions: 0o600]
    )
    guard isMade, let output = FileHandle(forWritingAtPath: report) else {
      throw CommandFailure("\(report) can't be written. Check the free disk space.")
    }
    process.standardOutput = output
    process.standardError = output
    let input = Pipe()
    // No other child may hold the end that this process holds.
    guard fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC) == 0 else {
      throw CommandFailure("A command can't be started: \(String(cString: strerror(errno))).")
    }
    process.standardInput = input.fileHandleForReading
    defer { try? input.fileHandleForWriting.close() }
    let code = try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { (done: CheckedContinuation<Int32, any Error>) in
        process.terminationHandler = { done.resume(returning: $0.terminationStatus) }
        do { try process.run() } catch { done.resume(throwing: error) }
      }
    } onCancel: {
      if process.isRunning { process.terminate() }
    }
    try Task.checkCancellation()
    guard code == 0 else {
      let text = (try? String(contentsOfFile: report, encoding: .utf8)) ?? ""
      throw CommandFailure(text.split(separator: "\n").last.map(String.init) ?? "exit code \(code)")
    }
  }
}
