import BaseStatus
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A process that serves one function.
struct RunningInstance: Sendable {
  let process: pid_t
  let port: Int
  /// Shows the program that a request comes from the host; nil for programs that don't ask for it.
  let callKey: String?
  let thread: ProcessThread
  /// The depth that the instance's calls of the server have.
  let depth: InstanceDepth
  /// Removes what the instance left behind.
  let discard: @Sendable () -> Void

  /// Ends it and everything that it started.
  func kill() { thread.signal(process, SIGKILL) }

  /// Asks it to end.
  func terminate() { thread.signal(process, SIGTERM) }

  /// Returns when the program takes connections itself; a request would run the function.
  func becomeReady(seconds: Double) async throws {
    let deadline = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < deadline {
      if LoopbackPort.isListening(port) {
        guard LoopbackPort.isListener(port, of: process) else {
          throw ServiceError(.unavailable, "Another program uses the instance's port.")
        }
        return
      }
      try await Task.sleep(for: .milliseconds(20))
    }
    throw ServiceError(.deadlineExceeded, "It accepted no connections within \(Int(seconds)) s.")
  }
}
