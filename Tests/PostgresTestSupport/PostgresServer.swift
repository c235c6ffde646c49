import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// A PostgreSQL server of the tests' own: a new cluster in a temporary directory, reached by a socket there.
///
/// `server.sh` runs it, as the user `postgres` where the tests run as root. Any thread may call.
package final class PostgresServer: Sendable {
  /// The server that the tests of a run share.
  package static let shared = Result { try PostgresServer() }

  /// True if PostgreSQL is installed.
  package static var isInstalled: Bool { programs != nil }

  /// The message if it is not.
  package static let missing = "PostgreSQL is not installed: the engine on it is not tested"

  /// The directory of the socket.
  package let directory: String
  private let shell: Process
  private let input = Pipe()
  private let output = Pipe()
  private let lock = NSLock()

  /// Makes a cluster and starts its server; returns when it takes connections.
  package init() throws {
    guard let programs = Self.programs else { throw Failure(text: Self.missing) }
    directory = NSTemporaryDirectory() + "brasa-pg-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    shell = Process()
    var user: [String] = []
    if getuid() == 0 {
      guard let postgres = getpwnam("postgres")?.pointee,
        chown(directory, postgres.pw_uid, postgres.pw_gid) == 0
      else { throw Failure(text: "there is no user postgres to run the server") }
      user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
    }
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [Self.script, programs, directory] + user
    shell.currentDirectoryURL = URL(fileURLWithPath: directory)
    shell.standardInput = input
    shell.standardOutput = output
    _ = fcntl(input.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
    try shell.run()
    try awaitAnswer()
  }

  /// The address of the server, for libpq.
  package var address: String { Self.address(directory) }

  /// The address of a server, or of a relay, whose socket is in a directory.
  package static func address(_ directory: String) -> String {
    "postgres:///postgres?user=brasa&host=\(directory)"
  }

  /// The file name of the server's socket.
  package static let socketName = ".s.PGSQL.5432"

  /// Stops the server as a crash would, and starts it again.
  package func restart() throws { try tell("restart") }

  /// Stops the server as a crash would.
  package func stop() throws { try tell("stop") }

  /// Starts the server after `stop()`.
  package func start() throws { try tell("start") }

  /// Ends the server and removes what it wrote; returns when that is done.
  package func remove() {
    try? input.fileHandleForWriting.close()
    shell.waitUntilExit()
  }

  private func tell(_ command: String) throws {
    try lock.withLock {
      try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
      try awaitAnswer()
    }
  }

  private func awaitAnswer() throws {
    let answer = try output.fileHandleForReading.read(upToCount: 1)
    guard answer == Data("+".utf8) else {
      let log = try? String(contentsOfFile: directory + "/log", encoding: .utf8)
      throw Failure(text: "PostgreSQL did not start or stop: \(log ?? "no log")")
    }
  }

  /// A server that did not do what it was told.
  package struct Failure: Error, CustomStringConvertible {
    let text: String
    package var description: String { text }
  }

  /// The directory of the newest server's programs on Debian, or of those in the path.
  private static let programs: String? = {
    let versions = "/usr/lib/postgresql"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? []
    let newest = names.compactMap { Int($0) }.max().map { "\(versions)/\($0)/bin" }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return ([newest].compactMap { $0 } + path.split(separator: ":").map(String.init)).first {
      FileManager.default.isExecutableFile(atPath: $0 + "/initdb")
    }
  }()

  private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("server.sh").path
}
