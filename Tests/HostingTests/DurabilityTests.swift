import BaseJSON
import BaseRuntime
import BaseStatus
import Foundation
import KeyValueStore
import ObjectStorage
import Synchronization
import Testing

@testable import Hosting

/// A site's contents when writes fail, or go on beside the sweep.
@Suite struct DurabilityTests {
  /// `hello`, packed, and its hash.
  private static let packed: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 231, 2, 0, 32, 48, 58, 54, 6, 0, 0, 0,
  ]
  private static let hash = "4925d2d4a2e887f938e428cb8c890c598b485c906ae241975c01be1dcc373c51"

  /// An engine that does something in front of a background write, or loses the outcome of a write.
  private final class HookedEngine: EngineWrapper {
    let base: any KeyValueEngine = MemoryEngine()
    let beforeBackground = Mutex<[@Sendable () -> Void]>([])
    let losesOutcome = Atomic(false)

    func submit(_ write: QueuedWrite) {
      if case .background = write.priority {
        let hook = beforeBackground.withLock { $0.isEmpty ? nil : $0.removeFirst() }
        hook?()
      }
      guard losesOutcome.exchange(false, ordering: .relaxed) else { return base.submit(write) }
      base.submit(
        QueuedWrite(write.priority, body: write.body) { _ in
          write.completion(.failure(KeyValueError(.outcomeUnknown, "fdatasync: I/O error")))
        }
      )
    }
  }

  /// A clock that is moved by hand.
  private final class SetClock: Sendable {
    private let time = Mutex<Int64>(1_700_000_000_000_000)
    var now: Int64 { time.withLock { $0 } }
    func advance(_ microseconds: Int64) { time.withLock { $0 += microseconds } }
  }

  /// A finalized version of the site `p` with so many files, all of the same content.
  private static func version(files: Int, of hosting: Hosting) async throws -> String {
    let empty = try JSONValue(parsing: "{}")
    let version = try hosting.createVersion(of: "p", config: empty, labels: [:], author: "a")
    let hash = try #require(ContentHash(hexadecimal: hash))
    let names = (0..<files).map { (path: "/\($0).txt", hash: hash) }
    if try !hosting.populate(version.id, of: "p", with: names).isEmpty {
      let (body, writer) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
      writer.yield(packed)
      writer.finish()
      try await hosting.upload(hash, for: version.id, of: "p", body)
    }
    _ = try hosting.update(version.id, of: "p", status: .finalized, config: nil)
    return version.id
  }

  private static func run(
    _ test: (Hosting, HookedEngine, SetClock) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.path + "/sites-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let threads = EngineThreads(count: 2)
    defer { threads.stop() }
    let (clock, engine) = (SetClock(), HookedEngine())
    var configuration = HostingConfiguration { clock.now }
    configuration.engineContentBytes = 0
    let hosting = try Hosting(
      engine: engine,
      blobs: LocalBlobStore(directory: folder, threads: threads, openFiles: 4),
      threads: threads,
      configuration: configuration
    )
    _ = try hosting.createSite("p", of: "p")
    try await test(hosting, engine, clock)
  }

  private static func release(_ version: String, _ hosting: Hosting) throws {
    _ = try hosting.release(
      version,
      on: HostedChannel.live,
      of: "p",
      kind: .deploy,
      message: "",
      author: "a"
    )
  }

  @Test func `no channel shows a version that the sweep has begun to erase`() async throws {
    try await Self.run { hosting, engine, clock in
      let version = try await Self.version(files: 250, of: hosting)
      clock.advance(2 * 86_400_000_000)
      let refused = Mutex<ServiceError?>(nil)
      // Between the first part and the second one.
      engine.beforeBackground.withLock { hooks in
        hooks = [
          {},
          {
            do { try Self.release(version, hosting) } catch {
              refused.withLock { $0 = error as? ServiceError }
            }
          },
        ]
      }
      try await hosting.sweep()
      #expect(engine.beforeBackground.withLock { $0.isEmpty })
      #expect(refused.withLock { $0 }?.code == .notFound)
      #expect(try hosting.channel(HostedChannel.live, of: "p").release == nil)
      #expect(try hosting.versions(of: "p").isEmpty)
      // A version that was released in time stays.
      let kept = try await Self.version(files: 3, of: hosting)
      clock.advance(2 * 86_400_000_000)
      engine.beforeBackground.withLock { $0 = [{ try? Self.release(kept, hosting) }] }
      try await hosting.sweep()
      #expect(try hosting.versions(of: "p").map(\.id) == [kept])
      let hash = try #require(ContentHash(hexadecimal: Self.hash))
      _ = try await hosting.content(hash)
    }
  }

  @Test func `content whose record may be in force keeps its bytes`() async throws {
    try await Self.run { hosting, engine, _ in
      let empty = try JSONValue(parsing: "{}")
      let version = try hosting.createVersion(of: "p", config: empty, labels: [:], author: "a")
      let hash = try #require(ContentHash(hexadecimal: Self.hash))
      _ = try hosting.populate(version.id, of: "p", with: [("/a", hash)])
      let (body, writer) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
      writer.yield(Self.packed)
      writer.finish()
      engine.losesOutcome.store(true, ordering: .relaxed)
      await #expect(throws: KeyValueError.self) {
        try await hosting.upload(hash, for: version.id, of: "p", body)
      }
      // The write came into force all the same.
      guard case .bytes(let bytes) = try await hosting.content(hash) else {
        Issue.record("no bytes")
        return
      }
      #expect(bytes == Self.packed)
    }
  }

  @Test func `a preview that got more time in the last moment stays`() async throws {
    try await Self.run { hosting, _, clock in
      _ = try hosting.createChannel("next", of: "p", life: 60)
      clock.advance(61_000_000)
      let time = clock.now
      _ = try hosting.extendChannel("next", of: "p", life: 60)
      try hosting.deleteChannel("next", of: "p", endedBy: time)
      #expect(try hosting.channel("next", of: "p").id == "next")
    }
  }
}
