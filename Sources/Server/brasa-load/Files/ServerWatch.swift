import Foundation
import Synchronization

/// Looks at a process twenty times a second while a run measures: its memory, and its time on processors.
final class ServerWatch: Sendable {
  /// The observations of a process.
  struct Seen: Sendable {
    var residentBefore = 0
    var residentMost = 0
    var processorSeconds = 0.0
  }

  private struct Watched {
    var seen = Seen()
    var firstSeconds: Double?
    var isOver = false
  }

  private let processID: Int32
  private let from: Int64
  private let end: Int64
  private let watched = Mutex(Watched())

  /// A watch of that process, whose processor time counts between the two moments.
  init(processID: Int32, from: Int64, end: Int64) {
    self.processID = processID
    self.from = from
    self.end = end
  }

  /// Begins to look.
  func start() {
    look()
    watched.withLock { $0.seen.residentBefore = $0.seen.residentMost }
    Thread.detachNewThread { [self] in
      while !watched.withLock({ $0.isOver }) {
        look()
        usleep(50_000)
      }
    }
  }

  /// Looks a last time.
  func stop() -> Seen {
    look()
    return watched.withLock { watched in
      watched.isOver = true
      return watched.seen
    }
  }

  private func look() {
    let now = monotonicNanoseconds()
    guard let resources = ServerResources(processID: processID) else { return }
    watched.withLock { watched in
      watched.seen.residentMost = max(watched.seen.residentMost, resources.residentBytes)
      guard now >= from, now <= end else { return }
      let first = watched.firstSeconds ?? resources.processorSeconds
      watched.firstSeconds = first
      watched.seen.processorSeconds = resources.processorSeconds - first
    }
  }
}
