import BaseStatus
import DocumentCodec
import FirestoreModel
import Foundation

/// The copy of a database's documents: parts of the order of names, several at a time, each noted as far as it is stored.
struct DocumentCopy: Sendable {
  let source: SourceServer
  let database: DatabaseID
  let target: MigrationTarget
  let state: MigrationState
  let log: MigrationLog
  let workers: Int

  private static let batch = (documents: 500, bytes: 4 << 20)
  private static let partsOfWorker = 4

  /// Copies the documents that are not copied yet; returns the reasons of dropped ones.
  func run() async throws -> [String] {
    if await !state.plan.hasParts { try await plan() }
    let open = await state.plan.parts.indices.filter { _ in true }
    return try await withThrowingTaskGroup(of: [String].self) { group in
      var left = open[...]
      var drops: [String] = []
      func begin() {
        guard let part = left.popFirst() else { return }
        group.addTask { try await copy(part) }
      }
      for _ in 0..<workers { begin() }
      while let found = try await group.next() {
        drops += found
        begin()
      }
      return drops
    }
  }

  // MARK: Parts

  private func plan() async throws {
    // The time of the first response is that of all: later changes are followed, or found by the
    // last comparison.
    let first = SourceQueries.documents(
      of: database,
      after: nil,
      includesAfter: false,
      end: nil,
      readTime: nil,
      limit: 1
    )
    var readTime: Int64?
    try await call("RunQuery", first) {
      readTime = try SourceQueries.Result($0).readTime ?? readTime
    }
    let roots = try await rootCollections()
    var cuts: Set<DocumentName> = []
    for root in roots {
      let request = SourceQueries.partition(
        of: database,
        root,
        count: max(1, workers * Self.partsOfWorker / max(1, roots.count))
      )
      try await call("PartitionQuery", request) { message in
        for name in try SourceQueries.cursors(message) {
          cuts.insert(try DocumentName(parsing: name))
        }
      }
    }
    let names = cuts.sorted().map { $0.database.path + "/documents/" + $0.path.string }
    var parts: [MigrationPlan.Part] = []
    var beginning: String?
    for name in names.map(Optional.some) + [nil] {
      parts.append(.init(end: name, after: beginning, includesAfter: beginning != nil))
      beginning = name
    }
    try await state.change { [parts, readTime] plan in
      plan.parts = parts
      plan.hasParts = true
      plan.readTime = readTime
      plan.followTime = readTime
      plan.groups = roots
    }
  }

  /// The ids of the collections at the root of the source.
  func rootCollections() async throws -> [String] {
    var (ids, token) = ([String](), "")
    repeat {
      let request = SourceQueries.rootCollections(of: database, token: token)
      token = ""
      try await call("ListCollectionIds", request) { message in
        let page = try SourceQueries.collections(message)
        ids += page.ids
        token = page.token
      }
    } while !token.isEmpty
    return ids
  }

  private func call(
    _ method: String,
    _ request: [UInt8],
    receive: ([UInt8]) async throws -> Void
  ) async throws {
    try await source.firestore().call(method, request, of: database, receive: receive)
  }

  // MARK: Documents

  /// Copies a part, beginning after the stored position; broken connections are reopened.
  private func copy(_ index: Int) async throws -> [String] {
    var drops: [String] = []
    var failures = 0
    while true {
      let before = await state.plan.parts[index]
      if before.isDone { return drops }
      do {
        drops += try await stream(index)
        try await state.change { $0.parts[index].isDone = true }
        return drops
      } catch let error as ServiceError where Self.isGone(error) {
        guard await state.plan.readTime != nil else { throw error }
        await log.print(
          "The source does not keep its history long enough: documents are read as they are now."
        )
        try await state.change { $0.readTime = nil }
      } catch let error as ServiceError where Self.isTransient(error.code) {
        failures = await state.plan.parts[index] == before ? failures + 1 : 1
        guard failures <= 5 else { throw error }
        try await Task.sleep(for: .milliseconds(200 << failures))
      }
    }
  }

  private func stream(_ index: Int) async throws -> [String] {
    let plan = await state.plan
    let part = plan.parts[index]
    let request = SourceQueries.documents(
      of: database,
      after: part.after,
      includesAfter: part.includesAfter,
      end: part.end,
      readTime: plan.readTime
    )
    var batch: [DocumentChange] = []
    var bytes = 0
    var drops: [String] = []
    func store() async throws {
      guard let last = batch.last else { return }
      drops += try await target.store(batch)
      try await state.stored(
        batch.count,
        upTo: last.name,
        of: index,
        groups: Set(batch.compactMap(\.group))
      )
      await log.add(documents: batch.count)
      batch.removeAll(keepingCapacity: true)
      bytes = 0
    }
    try await call("RunQuery", request) { message in
      guard let change = try SourceQueries.Result(message).change else { return }
      batch.append(change)
      bytes += message.count
      if batch.count >= Self.batch.documents || bytes >= Self.batch.bytes { try await store() }
    }
    try await store()
    return drops
  }

  /// True for a time that the source has no history of any more.
  private static func isGone(_ error: ServiceError) -> Bool {
    (error.code == .failedPrecondition || error.code == .invalidArgument)
      && (error.message.contains("read_time") || error.message.contains("too old")
        || error.message.contains("readTime") || error.message.contains("read time"))
  }

  static func isTransient(_ code: StatusCode) -> Bool {
    switch code {
    case .unavailable, .internalError, .unknown, .aborted, .deadlineExceeded, .cancelled,
      .resourceExhausted, .unauthenticated:
      true
    default: false
    }
  }
}
