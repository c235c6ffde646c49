/// The status of a task, and the events of it that can be observed.
public enum StorageTaskStatus: Int, Sendable {
  /// It has not begun.
  case unknown = 0
  /// It began or resumed after a pause.
  case resume = 1
  /// Bytes arrived.
  case progress = 2
  /// It waits to be resumed.
  case pause = 3
  /// It is done.
  case success = 4
  /// It failed or was cancelled.
  case failure = 5
}
