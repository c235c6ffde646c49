import FirebaseFirestore
import Foundation

/// The measurements of a row with a client, in milliseconds or bytes.
struct Measurement {
  /// A row saw something else than it measures.
  struct Unexpected: Error {
    let what: String
  }

  let client: BenchmarkClient
  /// The number of documents or writes that the row is about.
  let size: Int
  private let clock = ContinuousClock()

  init(client: BenchmarkClient, size: Int) {
    self.client = client
    self.size = size
  }

  private var firestore: Firestore { client.firestore }
  private var server: Seed { Seed(url: client.url, project: client.project) }

  func measure(_ row: Row) async throws -> [Double] {
    switch row {
    case .firstSnapshot: try await firstSnapshot(of: "middle", online: true)
    case .cachedSnapshot: try await firstSnapshot(of: "middle", online: false)
    case .fill: try await fill()
    case .scan: try await queries(from: 40)
    case .makeIndex: try await makeIndex()
    case .index: try await queries(from: 60)
    case .start: try await start()
    case .localWrite: try await localWrites()
    case .queuedWrites: try await queuedWrites()
    case .otherClient: try await otherClient()
    case .memory: try await memory()
    }
  }

  private func milliseconds(_ body: () async throws -> Void) async rethrows -> Double {
    let start = clock.now
    try await body()
    return milliseconds(since: start)
  }

  private func milliseconds(since start: ContinuousClock.Instant) -> Double {
    let parts = (clock.now - start).components
    return Double(parts.seconds) * 1e3 + Double(parts.attoseconds) / 1e15
  }

  // MARK: First snapshots

  private func firstSnapshot(of collection: String, online: Bool) async throws -> [Double] {
    if !online { try await firestore.disableNetwork() }
    return [
      try await milliseconds {
        try await listen(to: firestore.collection(collection)) {
          $0.count == size && $0.metadata.isFromCache == !online
        }
      }
    ]
  }

  /// Listens until a snapshot passes; the listener stays.
  private func listen(
    to query: Query,
    until passes: @escaping @Sendable (QuerySnapshot) -> Bool
  ) async throws {
    let feed = SnapshotQueue(query)
    try await feed.first(where: passes)
    Self.kept.append(feed)
  }

  /// Listeners of this process, which end with it.
  nonisolated(unsafe) private static var kept: [SnapshotQueue] = []

  private func group(_ number: Int) -> Query {
    firestore.collection("large").whereField("group", isEqualTo: number)
  }

  private func fill() async throws -> [Double] {
    let size = size
    try await listen(to: group(7)) { !$0.metadata.isFromCache }
    try await listen(to: firestore.collection("large")) {
      $0.count == size && !$0.metadata.isFromCache
    }
    try await firestore.terminate()
    return []
  }

  private func start() async throws -> [Double] {
    firestore.disableNetwork(completion: nil)
    return [try await milliseconds { try await listen(to: group(7)) { $0.count == 20 } }]
  }

  // MARK: Queries of the cache

  /// Queries that were never listened to, the first for warmth.
  private func queries(from first: Int) async throws -> [Double] {
    try await firestore.disableNetwork()
    var figures: [Double] = []
    for number in first...first + 10 {
      figures.append(try await query(number))
    }
    return Array(figures.dropFirst())
  }

  private func query(_ number: Int) async throws -> Double {
    try await milliseconds {
      let found = try await group(number).getDocuments(source: .cache)
      guard found.count == 20 else { throw Unexpected(what: "\(found.count) results") }
    }
  }

  /// Lets a query get its index, and waits for the whole of it.
  private func makeIndex() async throws -> [Double] {
    try await firestore.disableNetwork()
    let scanned = min(try await query(29), try await query(30))
    firestore.persistentCacheIndexManager?.enableIndexAutoCreation()
    return [
      try await milliseconds {
        var fastCount = 0
        while fastCount < 10 { fastCount = try await query(31) < scanned / 4 ? fastCount + 1 : 0 }
      }
    ]
  }

  // MARK: Writes

  private func localWrites() async throws -> [Double] {
    let feed = SnapshotQueue(firestore.collection("small"))
    try await feed.first { [size] in $0.count == size && !$0.metadata.isFromCache }
    var figures: [Double] = []
    for number in 0..<500 {
      let document = firestore.document("small/product-\(number % size)")
      let price = Double(-1 - number)
      let written = CompletionFlag()
      figures.append(
        try await milliseconds {
          document.setData(BenchmarkClient.product(number).merging(["price": price]) { $1 }) {
            written.finish($0)
          }
          try await feed.first { snapshot in
            snapshot.documentChanges.contains { $0.document.get("price") as? Double == price }
          }
        }
      )
      try await written.wait()
    }
    return figures
  }

  private func queuedWrites() async throws -> [Double] {
    // The connection to the server is there before the network goes.
    _ = try await firestore.document("queued/0").getDocument(source: .server)
    try await firestore.disableNetwork()
    for number in 0..<size {
      firestore.document("queued/\(number)").setData(
        BenchmarkClient.product(number),
        completion: nil
      )
    }
    _ = try await firestore.document("queued/\(size - 1)").getDocument(source: .cache)
    return [
      try await milliseconds {
        try await firestore.enableNetwork()
        try await firestore.waitForPendingWrites()
      }
    ]
  }

  // MARK: Another client

  /// The time from a write's start to its snapshot here, and to its response, in turn.
  private func otherClient() async throws -> [Double] {
    let feed = SnapshotQueue(firestore.collection("small"))
    try await feed.first { !$0.metadata.isFromCache }
    var figures: [Double] = []
    for number in 0..<size {
      let price = Double(1_000_000 + number) + 0.99
      let start = clock.now
      async let answered = answer(number, since: start)
      try await feed.first { snapshot in
        snapshot.documentChanges.contains {
          $0.document.get("name") as? String == "Product \(Int(price))"
        }
      }
      figures += [milliseconds(since: start), try await answered]
    }
    return figures
  }

  private func answer(_ number: Int, since start: ContinuousClock.Instant) async throws -> Double {
    try await server.write([("small", number % 1_000, 1_000_000 + number)])
    return milliseconds(since: start)
  }

  // MARK: Memory

  /// The bytes that ten listeners add to a process that has made a request.
  private func memory() async throws -> [Double] {
    _ = try await firestore.document("ten-0/product-0").getDocument(source: .server)
    let before = try Self.residentBytes()
    for number in 0..<10 {
      try await listen(to: firestore.collection("ten-\(number)")) { [size] in
        $0.count == size && !$0.metadata.isFromCache
      }
    }
    return [try Self.residentBytes() - before]
  }

  /// Returns the process's resident memory in bytes, as Linux counts it.
  private static func residentBytes() throws -> Double {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
      separator: " "
    )
    guard fields.count > 1, let pages = Double(fields[1]) else {
      throw Unexpected(what: "statm")
    }
    return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
  }
}
