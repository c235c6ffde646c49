import Foundation
import Outbound
import Synchronization
import Testing

@testable import ObjectStorage

/// The same suite on a server of S3 that we did not write: `moto`, from the packages of the client tests.
///
/// That signatures are checked there is the client tests' concern.
@Suite(.enabled(if: Moto.isInstalled, "the client tests' packages are not installed"))
struct S3BlobStoreTests {
  @Test(arguments: ["", "some/prefix/"])
  func `it does what every store does`(prefix: String) async throws {
    let moto = try Moto()
    defer { moto.stop() }
    let store = try S3BlobStore(moto.configuration(prefix: prefix))
    try await BlobStoreSuite(store: store).run()
    try await store.shutdown()
  }

  @Test func `a blob of several segments is one when it is finished`() async throws {
    let moto = try Moto()
    defer { moto.stop() }
    var configuration = moto.configuration(prefix: "")
    configuration.segmentBytes = 5 << 20
    let store = try S3BlobStore(configuration)
    let id = BlobID.random()
    let content = (0..<11).flatMap { [UInt8](repeating: UInt8($0), count: 1 << 20) }
    let first = try await store.begin(id)
    try await first.write(Array(content[..<(6 << 20)]))
    let progress = try await first.persist()
    await first.close()
    #expect(progress.offset == 6 << 20)
    let second = try await store.resume(id, at: progress)
    try await second.write(Array(content[(6 << 20)...]))
    try await second.finish()
    let reader = try await store.open(id)
    #expect(reader.size == 11 << 20)
    #expect(try await reader.read(at: (5 << 20) - 2, count: 4) == [4, 4, 5, 5])
    #expect(try await reader.read(at: (11 << 20) - 3, count: 9) == [10, 10, 10])
    #expect(try await store.unfinishedBlobs() == [])
    try await store.shutdown()
  }
}

/// A process with a server of S3 on a port of its own, and one bucket.
private final class Moto: Sendable {
  private static let checkout = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  private static let python = checkout.appending(path: ".venv/bin/python")
  private static let program = checkout.appending(path: "Tests/Clients/support/moto_server.py")

  static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: python.path()) }

  private struct NotStarted: Error {}

  private let endpoint: String
  private let process: Mutex<Process>

  init() throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = Self.python
    process.arguments = [Self.program.path()]
    process.standardInput = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    var line: [UInt8] = []
    while line.last != 0x0A {
      let bytes = output.fileHandleForReading.availableData
      guard !bytes.isEmpty else { throw NotStarted() }
      line += bytes
    }
    endpoint = String(decoding: line.dropLast(), as: UTF8.self)
    self.process = Mutex(process)
  }

  func configuration(prefix: String) -> S3Configuration {
    S3Configuration(
      endpoint: endpoint,
      region: "us-east-1",
      bucket: "files",
      prefix: prefix,
      accessID: "x",
      secret: "x",
      clock: { Int64(Date.now.timeIntervalSince1970 * 1_000_000) }
    )
  }

  /// Nothing waits for the end, since a thread that others need would.
  func stop() {
    process.withLock { _ = kill($0.processIdentifier, SIGKILL) }
  }
}
