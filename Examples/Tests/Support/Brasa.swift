import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A real Brasa in production mode, with a data directory of its own; over TLS where it has a certificate.
///
/// `BRASA_BINARY` names the program; without it the debug build of this checkout is taken.
package final class Brasa {
  /// The program did what it should not; its output says more.
  package struct Failure: Error {
    let output: String
  }

  private let data: URL
  private let environment: [String: String]
  private let certificates: URL?
  private var process: Process?
  private var port = 0
  /// The administrator key; the first start prints it.
  package private(set) var administrator = ""

  /// - Parameters:
  ///   - environment: Variables beside the tests' own.
  ///   - certificates: The folder of the certificate that it is reached by, as `makeCertificates` makes it; nil is plain
  ///     text.
  package init(data: URL, environment: [String: String] = [:], certificates: URL? = nil) {
    self.data = data
    self.environment = environment
    self.certificates = certificates
  }

  package var url: String { "\(certificates == nil ? "http" : "https")://127.0.0.1:\(port)" }

  /// The folder of a certificate whose authority this process trusts; nil where the tests do not run as `Examples/test` runs
  /// them.
  ///
  /// Foundation on Linux trusts the system's authorities alone, so it takes a process that sees others in their place.
  package static let trustedCertificates = ProcessInfo.processInfo
    .environment["BRASA_TEST_CERTIFICATES"].map { URL(filePath: $0) }

  /// Runs one of the commands on this server's data to its end; returns what it prints.
  @discardableResult
  package func run(_ arguments: [String]) throws -> String {
    try Self.run(arguments + ["--data", data.path])
  }

  /// Runs one of the commands as `run` does, while the caller's actor does other things.
  package nonisolated(nonsending) func output(of arguments: [String]) async throws -> String {
    let arguments = arguments + ["--data", data.path]
    return try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async {
        continuation.resume(with: Result { try Self.run(arguments) })
      }
    }
  }

  /// Makes an authority and a certificate for this machine's loopback.
  package static func makeCertificates(in folder: URL) throws {
    _ = try run(["certs", "--directory", folder.path])
  }

  private static func run(_ arguments: [String]) throws -> String {
    let output = Pipe()
    let process = process(arguments, output)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else { throw Failure(output: text) }
    return text
  }

  /// Starts the server; after `stop` on the same port.
  package func start() throws {
    let output = Pipe()
    var arguments = ["serve", "--port", "\(port)", "--data", data.path]
    if let certificates {
      arguments += ["--tls-certificate", certificates.appending(path: "server.pem").path]
      arguments += ["--tls-key", certificates.appending(path: "server-key.pem").path]
    }
    let process = Self.process(arguments, output, environment)
    try process.run()
    self.process = process
    try readStart(output.fileHandleForReading)
  }

  /// Ends the server as a crash would.
  package func stop() {
    guard let process else { return }
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }

  private static func process(
    _ arguments: [String],
    _ output: Pipe,
    _ environment: [String: String] = [:]
  ) -> Process {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.filter { variable in
      !["BRASA_", "FIRESTORE_", "FIREBASE_"].contains { variable.key.hasPrefix($0) }
    }.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = output
    process.standardInput = FileHandle.nullDevice
    return process
  }

  private static var program: URL {
    if let path = ProcessInfo.processInfo.environment["BRASA_BINARY"] { return URL(filePath: path) }
    let checkout = URL(filePath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return checkout.appending(path: ".build/debug/brasa")
  }

  /// Reads until the server says where it listens, the first time also the key, and lets the rest run off.
  private func readStart(_ output: FileHandle) throws {
    var text = ""
    while true {
      let part = output.availableData
      guard !part.isEmpty else { throw Failure(output: text) }
      text += String(decoding: part, as: UTF8.self)
      if let key = text.firstMatch(of: #/(brasa-admin-[0-9a-f]{64})\s/#) {
        administrator = String(key.1)
      }
      if let found = text.firstMatch(of: #/brasa listening address=\S+ port=(\d+) /#),
        let port = Int(found.1), !administrator.isEmpty
      {
        self.port = port
        // Not by a handler of the file: its end, as the file closes, can crash the system's event loop.
        Thread.detachNewThread { while !output.availableData.isEmpty {} }
        return
      }
    }
  }
}
