import FirebaseCore
import Foundation

/// A task with observers of its progress.
///
/// Observers of `success` and `failure` are called once; then all of them are forgotten. They are released outside the
/// lock, since what they hold may use the task in its `deinit`.
public class StorageObservableTask: StorageTask, @unchecked Sendable {
  /// Calls the handler with each change to a status, and now if that is the status; returns what removes it.
  @discardableResult
  public func observe(
    _ status: StorageTaskStatus,
    handler: @escaping (StorageTaskSnapshot) -> Void
  ) -> String {
    let callback = AppCallback(handler)
    let handle = UUID().uuidString
    state.withLock { state in
      if state.status == status {
        let snapshot = snapshot(of: state)
        reference.storage.callbackQueue.async { callback.call(snapshot) }
      }
      guard state.status != .success, state.status != .failure else { return }
      state.observers[handle] = Observer(status: status, callback: callback)
      state.handles.append(handle)
    }
    return handle
  }

  /// Removes one observer.
  public func removeObserver(withHandle handle: String) {
    _ = state.withLock { state in
      state.handles.removeAll { $0 == handle }
      return state.observers.removeValue(forKey: handle)
    }
  }

  /// Removes all observers.
  public func removeAllObservers() {
    _ = state.withLock { state in
      defer { state.observers = [:] }
      state.handles = []
      return state.observers
    }
  }

  /// Removes all observers of a status.
  public func removeAllObservers(for status: StorageTaskStatus) {
    _ = state.withLock { state in
      let removed = state.observers.filter { $0.value.status == status }
      for handle in removed.keys { state.observers[handle] = nil }
      state.handles.removeAll { removed[$0] != nil }
      return removed
    }
  }
}
