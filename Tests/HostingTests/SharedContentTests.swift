import BaseJSON
import BaseRuntime
import Foundation
import KeyValueStore
import ObjectStorage
import Synchronization
import Testing

@testable import Hosting

/// Larger content in the engine, which several machines share.
@Suite struct SharedContentTests {
  private static let start: Int64 = 1_700_000_000_000_000
  /// `hello`, packed, and its hash.
  private static let packed: [UInt8] = [
    31, 139, 8, 0, 0, 0, 0, 0, 2, 3, 203, 72, 205, 201, 201, 231, 2, 0, 32, 48, 58, 54, 6, 0, 0, 0,
  ]
  private static let hash = "4925d2d4a2e887f938e428cb8c890c598b485c906ae241975c01be1dcc373c51"

  private struct Place {
    let engine = MemoryEngine()
    let folder = FileManager.default.temporaryDirectory.path + "/sites-\(UUID().uuidString)"
    let threads = EngineThreads(count: 2)

    func open(sharing: Bool, at time: Int64 = SharedContentTests.start) throws -> Hosting {
      var configuration = HostingConfiguration { time }
      configuration.engineContentBytes = 0
      configuration.sharesContent = sharing
      return try Hosting(
        engine: engine,
        blobs: LocalBlobStore(directory: folder, threads: threads, openFiles: 4),
        threads: threads,
        configuration: configuration
      )
    }

    func count(_ kind: HostingKey.Kind) throws -> Int {
      try engine.read { try Hosting.keys(KeyRange(prefix: HostingKey.prefix(kind)), in: $0).count }
    }

    func close() {
      threads.stop()
      try? FileManager.default.removeItem(atPath: folder)
    }
  }

  /// Deploys one file to the site `p`.
  private static func deploy(to hosting: Hosting) async throws {
    if try hosting.site("p") == nil { _ = try hosting.createSite("p", of: "p") }
    let empty = try JSONValue(parsing: "{}")
    let version = try hosting.createVersion(of: "p", config: empty, labels: [:], author: "a")
    let hash = try #require(ContentHash(hexadecimal: hash))
    if try !hosting.populate(version.id, of: "p", with: [("/a.txt", hash)]).isEmpty {
      let (body, writer) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
      writer.yield(packed)
      writer.finish()
      try await hosting.upload(hash, for: version.id, of: "p", body)
    }
    _ = try hosting.update(version.id, of: "p", status: .finalized, config: nil)
  }

  private static func content(of hosting: Hosting) async throws -> [UInt8]? {
    let hash = try #require(ContentHash(hexadecimal: hash))
    guard case .bytes(let bytes) = try await hosting.content(hash) else { return nil }
    return bytes
  }

  @Test func `deployments at once make one site and one channel`() async throws {
    let place = Place()
    defer { place.close() }
    let nodes = try [place.open(sharing: true), place.open(sharing: true)]
    for round in 0..<8 {
      let name = "shop-\(round)"
      let made = try await withThrowingTaskGroup(of: [String].self) { group in
        for number in 0..<8 {
          group.addTask {
            let site = try nodes[number % 2].siteToDeploy(name, of: name)
            return [site.name, try nodes[number % 2].channelToDeploy("next", of: name).label]
          }
        }
        return try await group.reduce(into: Set<[String]>()) { $0.insert($1) }
      }
      #expect(made.count == 1)
    }
    // A name that another project has already.
    _ = try nodes[0].createSite("taken", of: "other")
    #expect(try nodes[1].siteToDeploy("taken", of: "taken").name != "taken")
  }

  @Test func `content goes with its last version, and what was cut off a day later`() async throws {
    let place = Place()
    defer { place.close() }
    let hosting = try place.open(sharing: true)
    try await Self.deploy(to: hosting)
    #expect(try (place.count(.part), place.count(.pending)) == (1, 0))
    // Another machine has no files of this one.
    let other = try place.open(sharing: true)
    #expect(try await Self.content(of: other) == Self.packed)
    // An upload whose process ended.
    let cut = BlobID.random()
    _ = try await hosting.shared.begin(cut)
    try await hosting.shared.put([1, 2], number: 0, of: cut)
    try await hosting.sweep()
    #expect(try (place.count(.part), place.count(.pending)) == (2, 1))
    // No release has the version.
    try await place.open(sharing: true, at: Self.start + 2 * 86_400_000_000).sweep()
    #expect(try (place.count(.part), place.count(.pending), place.count(.content)) == (0, 0, 0))
  }

  @Test func `any part of a blob is read`() async throws {
    let place = Place()
    defer { place.close() }
    let shared = try place.open(sharing: true).shared
    let bytes = (0..<700_000).map { UInt8(truncatingIfNeeded: $0 * 31 >> 3) }
    let blob = BlobID.random()
    let writer = try await shared.begin(blob)
    for start in stride(from: 0, to: bytes.count, by: 90_000) {
      try await writer.write(Array(bytes[start..<min(start + 90_000, bytes.count)]))
    }
    try await writer.finish()
    #expect(try place.count(.part) == 3)
    let reader = shared.open(blob, size: Int64(bytes.count))
    for range in [0..<1, 262_143..<262_145, 262_144..<524_288, 1..<699_999, 0..<700_000] {
      let part = try await reader.read(at: Int64(range.lowerBound), count: range.count)
      #expect(part == Array(bytes[range]), "\(range)")
    }
    #expect(try await reader.read(at: 699_990, count: 100).count == 10)
    #expect(try await reader.read(at: 700_000, count: 100).isEmpty)
  }

  @Test func `files of a directory go into a shared engine, and stay`() async throws {
    let place = Place()
    defer { place.close() }
    let alone = try place.open(sharing: false)
    try await Self.deploy(to: alone)
    #expect(try place.count(.part) == 0)
    let shared = try place.open(sharing: true)
    #expect(try await Self.content(of: shared) == Self.packed)
    try await shared.shareContent()
    #expect(try (place.count(.part), place.count(.pending)) == (1, 0))
    try FileManager.default.removeItem(atPath: place.folder)
    #expect(try await Self.content(of: place.open(sharing: true)) == Self.packed)
    // Also for a store that moved out of the database again.
    #expect(try await Self.content(of: place.open(sharing: false)) == Self.packed)
  }
}
