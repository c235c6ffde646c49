import ServiceLifecycle
import ServiceModule

/// A module's task in the program's group of services, listed before the gateway so that it ends after
/// the last request.
package struct ModuleTask: Service {
  private let task: ServiceTask

  /// The task of a module.
  package init(_ task: ServiceTask) { self.task = task }

  /// Runs the task until a graceful shutdown is asked for, which cancels it.
  package func run() async throws {
    try await cancelWhenGracefulShutdown { [task] in
      do {
        try await task.run()
      } catch is CancellationError {}
    }
  }
}
