import BaseJSON
import BaseStatus
import Foundation
import Synchronization

/// Deployments that clients wait for by polling.
///
/// Those of a project run one after the other, in the order of their requests; the projects take turns, two at one time. They
/// are remembered in memory: the last thousand of them, and as many of those that ended as have room.
final class FunctionOperations: Sendable {
  /// The outcome of a deployment.
  enum Outcome: Sendable {
    case pending
    case done(JSONValue)
    case failed(ServiceError)
  }

  private struct Entry {
    let project: String
    let metadata: JSONValue
    /// The bytes of the request, and then of the response.
    var bytes: Int
    var outcome = Outcome.pending
  }

  private struct State {
    var entries: [String: Entry] = [:]
    var order: [String] = []
    var pending = 0
    var bytes = 0
    /// Those that have not begun, in the order of their requests.
    var queue: [Work] = []
    /// The projects with one in flight.
    var running: Set<String> = []

    /// The next one that may begin: the oldest of a project that has none in flight.
    mutating func takeNext() -> Work? {
      guard running.count < FunctionOperations.mostRunning,
        let index = queue.firstIndex(where: { !running.contains($0.project) })
      else { return nil }
      let work = queue.remove(at: index)
      running.insert(work.project)
      return work
    }

    mutating func remove(_ name: String) {
      guard let entry = entries.removeValue(forKey: name) else { return }
      bytes -= entry.bytes
      order.removeAll { $0 == name }
    }

    /// The bytes of the operations of a project that wait.
    func waitingBytes(of project: String) -> Int {
      entries.values.reduce(0) { sum, entry in
        guard entry.project == project, case .pending = entry.outcome else { return sum }
        return sum + entry.bytes
      }
    }
  }

  private struct Work: Sendable {
    let name: String
    let project: String
    let run: @Sendable () async throws -> JSONValue
  }

  /// The most in flight, each of a project of its own.
  private static let mostRunning = 2
  private static let mostPending = 500
  private static let mostKept = 1_000
  /// The most bytes of all operations, and of those of one project that wait.
  private static let mostBytes = 64 << 20
  private static let mostBytesOfProject = 16 << 20

  private let state = Mutex(State())
  /// Says that there may be work to begin.
  private let changes: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation

  init() {
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  /// Runs queued operations until its task is cancelled.
  func run() async {
    await withDiscardingTaskGroup { group in
      for await _ in changes {
        while let work = state.withLock({ $0.takeNext() }) {
          group.addTask { await self.perform(work) }
        }
      }
    }
  }

  private func perform(_ work: Work) async {
    var outcome: Outcome
    var bytes = 0
    do {
      let response = try await work.run()
      (outcome, bytes) = (.done(response), response.compactBytes.count)
    } catch let error as ServiceError {
      outcome = .failed(error)
    } catch {
      outcome = .failed(ServiceError(.internalError, "The deployment failed.", cause: error))
    }
    state.withLock { state in
      state.pending -= 1
      state.running.remove(work.project)
      guard let entry = state.entries[work.name] else { return }
      state.entries[work.name]?.outcome = outcome
      state.entries[work.name]?.bytes = bytes
      state.bytes += bytes - entry.bytes
    }
    changed.yield()
  }

  /// Begins work of a project that a request of that many bytes describes; returns the operation's id.
  func begin(
    of project: String,
    _ metadata: JSONValue,
    bytes: Int,
    _ work: @escaping @Sendable () async throws -> JSONValue
  ) throws(ServiceError) -> String {
    let name = UUID().uuidString.lowercased()
    let isTaken = state.withLock { state in
      guard state.pending < Self.mostPending,
        state.waitingBytes(of: project) + bytes <= Self.mostBytesOfProject
      else { return false }
      while state.order.count >= Self.mostKept || state.bytes + bytes > Self.mostBytes {
        let ended = state.order.first { name in
          if case .pending? = state.entries[name]?.outcome { false } else { true }
        }
        guard let ended else { return false }
        state.remove(ended)
      }
      state.pending += 1
      state.entries[name] = Entry(project: project, metadata: metadata, bytes: bytes)
      state.bytes += bytes
      state.order.append(name)
      state.queue.append(Work(name: name, project: project, run: work))
      return true
    }
    guard isTaken else {
      throw ServiceError(.resourceExhausted, "Too many deployments are pending. Try again later.")
    }
    changed.yield()
    return name
  }

  /// An operation of a project as Google's APIs have it; NOT_FOUND where there is none.
  func json(_ name: String, of project: String, as full: String) throws(ServiceError) -> JSONValue {
    guard let entry = state.withLock({ $0.entries[name] }), entry.project == project else {
      throw ServiceError(
        .notFound,
        "There is no operation \(name.prefix(100)). The server may have been restarted: deploy again."
      )
    }
    var members: [JSONValue.Member] = [
      .init("name", .string(full)), .init("metadata", entry.metadata),
    ]
    switch entry.outcome {
    case .pending: break
    case .done(let response):
      members += [.init("done", .boolean(true)), .init("response", response)]
    case .failed(let error):
      members += [
        .init("done", .boolean(true)),
        .init(
          "error",
          .object(["code": .integer(error.code.rawValue), "message": .string(error.message)])
        ),
      ]
    }
    return .object(members)
  }
}
