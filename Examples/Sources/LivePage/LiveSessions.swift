import Foundation
import ServiceHost
import ServiceLifecycle

/// All browsers' sessions; the service that gives each its task.
///
/// At most `limit` sessions live at once: the one unused for longest that nobody looks at makes
/// room. Its folder stays, so that browser continues from there.
@MainActor
final class LiveSessions: Service {
  private let folder: URL
  private let limit: Int
  private let makeApp: @MainActor (Device) throws -> any LiveApp
  private let draw: @MainActor (LiveView) -> String
  private var sessions: [String: LiveSession] = [:]
  private let started: AsyncStream<LiveSession>
  private let start: AsyncStream<LiveSession>.Continuation

  init(
    folder: URL,
    limit: Int,
    makeApp: @escaping @MainActor (Device) throws -> any LiveApp,
    draw: @escaping @MainActor (LiveView) -> String
  ) {
    self.folder = folder
    self.limit = limit
    self.makeApp = makeApp
    self.draw = draw
    (started, start) = AsyncStream.makeStream()
  }

  func run() async throws {
    await withDiscardingTaskGroup { group in
      for await session in started.cancelOnGracefulShutdown() {
        group.addTask { await session.run() }
      }
      group.cancelAll()
    }
  }

  /// The session that a cookie's value stands for, made or continued; nil when all are in use.
  func session(for cookie: String) throws -> LiveSession? {
    let key = Secret.digest(cookie)
    if let session = sessions[key] {
      session.lastUse = .now
      return session
    }
    guard sessions.count < limit || evict() else { return nil }
    let device = Device(folder: folder.appending(path: key))
    let session = LiveSession(app: try makeApp(device), draw: draw)
    sessions[key] = session
    start.yield(session)
    return session
  }

  private func evict() -> Bool {
    let idle = sessions.filter { $0.value.viewers == 0 }
    guard let oldest = idle.min(by: { $0.value.lastUse < $1.value.lastUse }) else { return false }
    oldest.value.end()
    sessions[oldest.key] = nil
    return true
  }
}
