import Dispatch
import KeyValueStore
import Synchronization

/// The outcomes of writes, in the order in which they were reported.
final class Outcomes: Sendable {
  private let told = Mutex<[String]>([])
  private let arrival = DispatchSemaphore(value: 0)

  func submit(
    _ name: String,
    _ priority: WritePriority = .interactive,
    to engine: any KeyValueEngine,
    _ body: @escaping @Sendable (any KeyValueGroup) throws -> Void
  ) {
    engine.submit(write(name, priority, body))
  }

  /// A write whose outcome is told here.
  func write(
    _ name: String,
    _ priority: WritePriority,
    mayLead: Bool = false,
    _ body: @escaping @Sendable (any KeyValueGroup) throws -> Void
  ) -> QueuedWrite {
    QueuedWrite(priority, mayLead: mayLead, body: body) { outcome in
      let isDurable = (try? outcome.get()) != nil
      self.told.withLock { $0.append("\(name) \(isDurable ? "durable" : "failed")") }
      self.arrival.signal()
    }
  }

  /// All that was told, once that many more outcomes have come.
  func wait(for count: Int) -> [String] {
    for _ in 0..<count { arrival.wait() }
    return told.withLock { $0 }
  }
}
