import Dispatch

/// Runs an actor on a serial queue, so that jobs on the queue keep their order.
package final class QueueExecutor: SerialExecutor {
  let queue: DispatchQueue

  init(label: String) { queue = DispatchQueue(label: label, qos: .userInitiated) }

  /// Puts the job behind everything on the queue; returns at once.
  package func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = asUnownedSerialExecutor()
    queue.async { job.runSynchronously(on: executor) }
  }

  /// Traps outside the queue.
  package func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
