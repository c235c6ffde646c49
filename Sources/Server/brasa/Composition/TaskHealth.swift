import BaseStatus
import Gateway
import KeyValueStore
import Logging
import ObjectStorage
import PushMessaging
import Synchronization

/// Reports long-running tasks to the health table, the metrics and the log.
///
/// A task that fails has a warning until a step of it goes well. The log has a line when it begins to fail and one
/// when it recovers, not one a step. A failure of an engine is not the task's: the table has a line of the engine.
///
/// Any thread may report.
final class TaskHealth: Sendable {
  private let health: ServerHealth
  private let metrics: MetricsRegistry
  private let log: Logger
  /// The tasks whose last step failed.
  private let failing = Mutex<Set<String>>([])

  /// Without failures.
  init(_ health: ServerHealth, metrics: MetricsRegistry, log: Logger) {
    self.health = health
    self.metrics = metrics
    self.log = log
  }

  /// Reports a step of one task: its error, or nil for one that went well.
  func report(_ task: String, _ error: (any Error)?) {
    if error is CancellationError { return }
    let hasChanged = failing.withLock { failing in
      error == nil ? failing.remove(task) != nil : failing.insert(task).inserted
    }
    if let error, !Self.isEngines(error) { show(task, fails: true) }
    guard hasChanged else { return }
    if let error {
      log.error("a task failed", metadata: ["task": "\(task)", "error": "\(error)"])
    } else {
      show(task, fails: false)
      log.notice("a task works again", metadata: ["task": "\(task)"])
    }
  }

  private func show(_ task: String, fails: Bool) {
    metrics.gauge("brasa_task_failing", [("task", task)]).record(fails ? 1.0 : 0.0)
    health.warn(task, fails ? "fails" : nil)
  }

  /// True for an engine's failure, through any service; damage belongs to the service.
  private static func isEngines(_ error: any Error) -> Bool {
    let cause: (any Error)? =
      switch error {
      case let error as ServiceError: error.cause
      case let error as MessagingError: error.cause
      case let error as StorageError: error.cause
      default: error
      }
    return (cause as? KeyValueError).map { $0.code != .corruption } ?? false
  }
}
