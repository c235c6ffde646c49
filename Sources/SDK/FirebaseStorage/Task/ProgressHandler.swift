import FirebaseCore
import Foundation

/// The handler of an asynchronous call's progress.
///
/// It is called on the queue of callbacks, and once more by the call itself where the last progress has not arrived yet.
/// It is never called after the call has returned.
///
/// Unchecked: the state is used under the lock alone, which is recursive because a handler may run the queue's loop.
final class ProgressHandler: @unchecked Sendable {
  private let callback: AppCallback<Progress?>
  private let lock = NSRecursiveLock()
  private var last: TransferProgress?
  private var isFinished = false

  /// A handler that observes a task.
  init(_ handler: @escaping (Progress?) -> Void, of task: StorageObservableTask) {
    callback = AppCallback(handler)
    task.observe(.progress) { [self] snapshot in call(snapshot) }
  }

  private func call(_ snapshot: StorageTaskSnapshot) {
    lock.withLock {
      guard !isFinished, snapshot.bytes != last else { return }
      last = snapshot.bytes
      callback.call(snapshot.progress)
    }
  }

  /// Reports the last progress, unless the handler knows it, and calls the handler no more.
  func finish(_ snapshot: StorageTaskSnapshot) {
    lock.withLock {
      if snapshot.status == .success, snapshot.bytes != nil { call(snapshot) }
      isFinished = true
    }
  }
}
