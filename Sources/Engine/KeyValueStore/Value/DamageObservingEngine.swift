/// An engine that reports damage to an observer: each error of corruption that ends a view, a write
/// or a call of the engine below.
///
/// Damage that only memory seemed to show is not reported: such an error is thrown by a view in
/// memory, and its work is repeated where the disk may be read.
package final class DamageObservingEngine: EngineWrapper {
  /// The engine whose errors are observed.
  package let base: any KeyValueEngine
  private let observer: @Sendable (KeyValueError) -> Void

  /// An engine over `base`; the observer is called on the thread that met the damage.
  package init(_ base: any KeyValueEngine, observer: @escaping @Sendable (KeyValueError) -> Void) {
    self.base = base
    self.observer = observer
  }

  /// Runs the body on a view of the engine below; the observer receives a corruption before it is rethrown.
  package func read<R>(_ body: (any KeyValueSnapshot) throws -> R) throws -> R {
    try observing { try base.read(body) }
  }

  /// Hands on the write; the observer receives a corruption before the completion runs.
  package func submit(_ write: QueuedWrite) {
    base.submit(
      QueuedWrite(write.priority, mayLead: write.mayLead, body: write.body) { [observer] outcome in
        if case .failure(let error as KeyValueError) = outcome, error.code == .corruption {
          observer(error)
        }
        write.completion(outcome)
      }
    )
  }

  private func observing<R>(_ body: () throws -> R) throws -> R {
    do {
      return try body()
    } catch let error as KeyValueError where error.code == .corruption {
      observer(error)
      throw error
    }
  }
}
