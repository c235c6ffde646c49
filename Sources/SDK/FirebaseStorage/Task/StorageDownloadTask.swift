/// A download.
///
/// The received bytes are kept over a pause and a lost connection, unless the object was replaced
/// in the meantime.
public final class StorageDownloadTask: StorageObservableTask, StorageTaskManagement,
  @unchecked Sendable
{
  /// Starts the download; a reference's has been started.
  public func enqueue() { start(from: .unknown) }
  /// Interrupts the download.
  public func pause() { interrupt() }
  /// Ends the download for good; it fails with `cancelled`.
  public func cancel() { abort() }
  /// Resumes after a pause.
  public func resume() { start(from: .pause) }
}
