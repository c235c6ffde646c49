/// A task that can be steered.
public protocol StorageTaskManagement: AnyObject {
  /// Starts the task; those of references have been started.
  func enqueue()
  /// Interrupts the task; the received data is kept.
  func pause()
  /// Ends the task for good; it fails with `cancelled`.
  func cancel()
  /// Resumes after a pause.
  func resume()
}

extension StorageTaskManagement {
  /// Interrupts the task, where it can be.
  public func pause() {}
  /// Ends the task, where it can be.
  public func cancel() {}
  /// Resumes after a pause, if there are any.
  public func resume() {}
}
