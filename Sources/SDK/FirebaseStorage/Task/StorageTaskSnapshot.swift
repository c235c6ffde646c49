import Foundation

/// A task at one moment.
public final class StorageTaskSnapshot: NSObject, Sendable {
  /// The task.
  public let task: StorageTask
  /// The object's metadata: an upload's own, or what the server made of them.
  public let metadata: StorageMetadata?
  /// The object.
  public let reference: StorageReference
  /// The reason why the task failed.
  public let error: (any Error)?
  /// The status of the task.
  public let status: StorageTaskStatus
  let bytes: TransferProgress?

  init(
    task: StorageTask,
    metadata: StorageMetadata?,
    progress: TransferProgress?,
    error: (any Error)?,
    status: StorageTaskStatus
  ) {
    self.task = task
    self.metadata = metadata
    self.reference = task.reference
    self.error = error
    self.status = status
    bytes = progress
  }

  /// The number of bytes that arrived, and of all bytes; nil before anything is known of them.
  public var progress: Progress? {
    bytes.map { bytes in
      let progress = Progress.discreteProgress(totalUnitCount: bytes.total)
      progress.completedUnitCount = bytes.completed
      return progress
    }
  }

  /// The status in words.
  public override var description: String {
    switch status {
    case .unknown: "<State: Unknown>"
    case .resume: "<State: Resume>"
    case .progress: "<State: Progress, Progress: \(bytes?.completed ?? 0)/\(bytes?.total ?? 0)>"
    case .pause: "<State: Paused>"
    case .success: "<State: Success>"
    case .failure: "<State: Failed, Error: \(error?.localizedDescription ?? "")>"
    }
  }
}
