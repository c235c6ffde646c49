/// An upload.
///
/// The part that the server has is kept over a pause and a lost connection: the upload continues
/// from there.
public final class StorageUploadTask: StorageObservableTask, StorageTaskManagement,
  @unchecked Sendable
{
  /// Starts the upload; a reference's has been started.
  public func enqueue() { start(from: .unknown) }
  /// Interrupts the upload.
  public func pause() { interrupt() }
  /// Ends the upload for good; it fails with `cancelled`.
  public func cancel() { abort() }
  /// Resumes after a pause.
  public func resume() { start(from: .pause) }
}
