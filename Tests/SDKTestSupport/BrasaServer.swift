import Foundation
import Synchronization

/// A development server of the debug build, on a port that the system chose; it ends with the tests.
///
/// `BRASA_BINARY` names the program; without it the debug build of this checkout is taken. With `BRASA_SDK_TEST_PORT`
/// it is another server of this machine that listens there: Google's emulator, which has Firestore alone.
package final class BrasaServer: Sendable {
  /// The server of all tests.
  package static let shared = Result { try BrasaServer() }

  package let port: Int
  package var url: String { "http://127.0.0.1:\(port)" }

  /// Its data directory; nil of another server.
  private let data: URL?

  private static let running = Mutex<(process: Int32, data: URL)?>(nil)

  private struct NoAddress: Error {
    let output: String
  }

  /// True if the server is ours, with all its services.
  package static let isOurs = otherPort == nil

  private static var otherPort: Int? {
    ProcessInfo.processInfo.environment["BRASA_SDK_TEST_PORT"].flatMap { Int($0) }
  }

  private init() throws {
    if let other = Self.otherPort {
      port = other
      data = nil
      return
    }
    let data = FileManager.default.temporaryDirectory
      .appendingPathComponent("brasa-\(UUID().uuidString)")
    self.data = data
    let output = Pipe()
    let process = Self.process(["serve", "--dev", "--port", "0", "--data", data.path], output)
    process.standardError = output
    try process.run()
    Self.running.withLock { $0 = (process.processIdentifier, data) }
    atexit { BrasaServer.stop() }
    port = try Self.port(in: output.fileHandleForReading)
  }

  /// The program with arguments, and without what the environment says of other servers.
  private static func process(_ arguments: [String], _ output: Pipe) -> Process {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.filter { variable in
      !["BRASA_", "FIRESTORE_", "FIREBASE_", "GOOGLE_", "GCLOUD_"].contains {
        variable.key.hasPrefix($0)
      }
    }
    process.standardOutput = output
    process.standardInput = FileHandle.nullDevice
    return process
  }

  /// A command of the program failed.
  package struct CommandFailed: Error {
    /// The exit status.
    package let status: Int32
  }

  /// Runs another command of the program on this server's directory; returns what it prints.
  package func run(_ arguments: [String]) throws -> String {
    guard let data else { throw CommandFailed(status: EXIT_FAILURE) }
    let output = Pipe()
    let process = Self.process(arguments + ["--data", data.path], output)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw CommandFailed(status: process.terminationStatus)
    }
    return text
  }

  private static var program: URL {
    if let path = ProcessInfo.processInfo.environment["BRASA_BINARY"] {
      return URL(fileURLWithPath: path)
    }
    let checkout = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return checkout.appendingPathComponent(".build/debug/brasa")
  }

  /// Reads until the server says where it listens, and lets the rest run off.
  private static func port(in output: FileHandle) throws -> Int {
    var text = ""
    while true {
      let part = output.availableData
      guard !part.isEmpty else { throw NoAddress(output: text) }
      text += String(decoding: part, as: UTF8.self)
      if let found = text.firstMatch(of: #/brasa listening address=\S+ port=(\d+) /#),
        let port = Int(found.1)
      {
        output.readabilityHandler = { _ = $0.availableData }
        return port
      }
    }
  }

  private static func stop() {
    guard let running = running.withLock({ $0 }) else { return }
    kill(running.process, SIGKILL)
    try? FileManager.default.removeItem(at: running.data)
  }
}
