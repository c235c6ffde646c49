import Dispatch
import KeyValueStore

/// Holds an engine's writing thread after a group, so that what is submitted meanwhile waits for the next.
struct HeldWriter {
  private let gate = DispatchSemaphore(value: 0)

  init(_ engine: any KeyValueEngine) { self.init(submit: engine.submit) }

  init(submit: (QueuedWrite) -> Void) {
    let entered = DispatchSemaphore(value: 0)
    let write = QueuedWrite(.interactive) { _ in
    } completion: { [gate] _ in
      entered.signal()
      gate.wait()
    }
    submit(write)
    entered.wait()
  }

  func release() { gate.signal() }
}
