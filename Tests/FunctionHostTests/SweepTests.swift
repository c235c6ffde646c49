import BaseStatus
import Foundation
import Logging
import Synchronization
import Testing

@testable import FunctionHost

/// The bounds of deployments, and the removal of what they leave.
@Suite struct SweepTests {
  private struct NoTransport: InstanceTransport {
    struct Unreachable: Error {}

    func send(
      _ request: InvocationRequest,
      port: Int,
      within time: Duration
    ) async throws -> InvocationResponse { throw Unreachable() }

    func shutdown() async throws {}
  }

  /// Names in the order in which they came.
  private final class Names: Sendable {
    private let names = Mutex<[String]>([])

    var all: [String] { names.withLock { $0 } }

    func append(_ name: String) { names.withLock { $0.append(name) } }
  }

  private let configuration: FunctionHostConfiguration
  private let folder: DeploymentFolder

  init() {
    let data = FileManager.default.temporaryDirectory.path + "/sweep-\(UUID().uuidString)"
    configuration = FunctionHostConfiguration(dataDirectory: data, isDevelopment: true)
    folder = DeploymentFolder(configuration: configuration)
  }

  private func host(_ configuration: FunctionHostConfiguration? = nil) throws -> FunctionHost {
    try FunctionHost(
      configuration ?? self.configuration,
      transport: { NoTransport() },
      log: Logger(label: "functions") { _ in SwiftLogNoOpLogHandler() }
    )
  }

  private func makeFolder(_ path: String) throws {
    let manager = FileManager.default
    try manager.createDirectory(atPath: path + "/below", withIntermediateDirectories: true)
    try Data().write(to: URL(fileURLWithPath: path + "/below/file"))
  }

  private func makeEnvironments(_ names: String...) throws {
    for name in names { try makeFolder("\(configuration.environments)/\(name)") }
  }

  private func keep(_ release: Int, source: String, environment: String) throws {
    try makeFolder(folder.source(source))
    try folder.keep([
      Deployment(
        project: "p",
        codebase: "default",
        digest: source,
        environment: environment,
        manifest: #"{"specVersion":"v1alpha1","params":[],"endpoints":{}}"#,
        variables: [:],
        deployed: 0,
        release: release
      )
    ])
  }

  /// The names below the folder of environments, without what is being removed.
  private var environments: [String] {
    let found = try? FileManager.default.contentsOfDirectory(atPath: configuration.environments)
    return (found ?? []).filter { !$0.hasPrefix(".") }.sorted()
  }

  private func remove() { try? FileManager.default.removeItem(atPath: configuration.dataDirectory) }

  @Test func `packages that no kept release names are removed and all else stays`() async throws {
    defer { remove() }
    try makeEnvironments("python-1", "node-2", "swift-3", "python-4", "caches", "notes", "python")
    try keep(1, source: "one", environment: "python-1")
    try keep(2, source: "two", environment: "swift-3")
    try makeFolder(folder.source("three"))
    try await host().sweepFolders()
    #expect(environments == ["caches", "notes", "python", "python-1", "swift-3"])
    let sources = try FileManager.default.contentsOfDirectory(atPath: folder.sources)
    #expect(sources.sorted() == ["one", "two"])
  }

  @Test func `what an instance or a deployment uses stays until they end`() async throws {
    defer { remove() }
    try makeEnvironments("python-1", "python-2")
    try makeFolder(folder.source("one"))
    let host = try host()
    let (first, second) = (host.uses.begin("python-1", "one"), host.uses.begin("python-1"))
    await host.sweepFolders()
    #expect(environments == ["python-1"])
    first.end()
    // Twice is once.
    first.end()
    await host.sweepFolders()
    #expect(environments == ["python-1"])
    second.end()
    await host.sweepFolders()
    #expect(environments.isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.sources).isEmpty)
  }

  @Test func `a sweep takes a bounded number of environments`() async throws {
    defer { remove() }
    for number in 0..<DeploymentFolder.mostSwept + 8 { try makeEnvironments("python-\(number)") }
    let host = try host()
    await host.sweepFolders()
    #expect(environments.count == 8)
    await host.sweepFolders()
    #expect(environments.isEmpty)
  }

  @Test func `packages of a folder that servers share stay`() async throws {
    defer { remove() }
    var shared = configuration
    shared.environments = configuration.dataDirectory + "/shared"
    try makeFolder(shared.environments + "/python-1")
    try await host(shared).sweepFolders()
    #expect(FileManager.default.fileExists(atPath: shared.environments + "/python-1/below/file"))
  }

  @Test func `what a server that was killed had set aside is removed`() async throws {
    defer { remove() }
    let path = folder.discarded + "/python-1.x"
    try makeFolder(path)
    let folders = DiscardedFolders(folder.discarded)
    // Asked many times at once, it is emptied by one thread.
    for _ in 0..<100 { folders.empty() }
    while !Task.isCancelled, FileManager.default.fileExists(atPath: path) { await Task.yield() }
  }

  @Test func `two projects deploy at one time and each of them once`() async throws {
    defer { remove() }
    let host = try host()
    let (opened, open) = AsyncStream<Void>.makeStream()
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let first = Task {
      try await host.whileDeploying("a", "default") { _ in
        begin.yield()
        for await _ in opened { break }
      }
    }
    for await _ in begun { break }
    await #expect(throws: ServiceError.self) {
      try await host.whileDeploying("a", "other") { _ in }
    }
    // Another project is not held up.
    let order = Names()
    let third = try await host.whileDeploying("b", "default") { _ in
      let waiting = Task {
        try await host.whileDeploying("c", "default") { _ in order.append("c") }
      }
      // A third one waits for its turn: its own next one is refused.
      while !Task.isCancelled, await !host.deploying.contains("c") { await Task.yield() }
      await #expect(throws: ServiceError.self) {
        try await host.whileDeploying("c", "default") { _ in }
      }
      order.append("b")
      return waiting
    }
    try await third.value
    #expect(order.all == ["b", "c"])
    open.yield()
    try await first.value
    try await host.whileDeploying("a", "default") { _ in }
  }

  @Test func `installations of one name wait for each other, and others do not`() async throws {
    let locks = NameLocks()
    let order = Names()
    let (opened, open) = AsyncStream<Void>.makeStream()
    let (begun, begin) = AsyncStream<Void>.makeStream()
    let first = Task {
      try await locks.withLock("python-1") {
        begin.yield()
        for await _ in opened { break }
        order.append("first")
      }
    }
    for await _ in begun { break }
    let second = Task {
      try await locks.withLock("python-1") { order.append("second") }
    }
    let cancelled = Task { try await locks.withLock("python-1") {} }
    try await locks.withLock("node-2") { order.append("other") }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    open.yield()
    try await first.value
    try await second.value
    try await locks.withLock("python-1") {}
    #expect(order.all == ["other", "first", "second"])
  }
}
