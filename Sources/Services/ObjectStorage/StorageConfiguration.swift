import BaseRuntime
import BaseText
import KeyValueStore

/// The settings of the storage of files.
package struct StorageConfiguration: Sendable {
  /// True if any bucket is made on first use, as Google's emulator does; otherwise a project's
  /// default buckets alone are.
  package var makesBuckets = false
  /// The owner of buckets that are made on first use and whose name tells no project.
  package var project: Text?
  /// The most bytes that all buckets of a project may hold; nil is no bound.
  package var projectQuotaBytes: Int64?
  /// The time for which an upload may be unfinished, in microseconds.
  package var uploadLifetime: Int64 = 7 * 86_400 * 1_000_000
  /// The limits of unfinished resumable uploads.
  package var uploadLimits = UploadLimits()
  /// So many bytes of the disk are left to others: uploads are refused where fewer are free.
  package var reservedBytes: Int64 = 256 << 20
  /// The memory for small objects of recent downloads.
  package var memoryBytes = 16 << 20
  /// Content of up to so many bytes is kept in the engine, at most `EngineContent.largest`; nil keeps none there.
  package var engineContentBytes: Int? = EngineContent.largest
  /// Gives the time for lifetimes, lifecycle rules and keys; generations take theirs from the engine.
  package var clock = MicrosecondClock.system
  /// Writes what follows from changes of objects in the groups of the changes.
  package var follower: ObjectFollower?
  /// Receives failures in the background.
  package var errorObserver: @Sendable (any Error) -> Void = { _ in }

  /// The project that a request means that names none: the server's own, which development always has.
  package var ownProject: Text? { project ?? (makesBuckets ? "demo-brasa" : nil) }

  /// The product's configuration.
  package init() {}
}

/// Writes what follows from changes of objects in the groups of the changes.
package struct ObjectFollower: Sendable {
  /// The changes of objects that are followed.
  package enum Change: Sendable {
    /// A generation was stored and is live.
    case finalized
    /// The live generation became an older version.
    case archived
    /// A generation was deleted, or replaced where the bucket keeps no versions.
    case deleted
    case metadataUpdated
  }

  /// Writes along with a change of an object in a project's bucket; what it throws fails the change.
  ///
  /// `depth` is the number of events that led to the change, one causing the next.
  package let write:
    @Sendable (any KeyValueGroup, _ project: Text, StoredObject, Change, _ depth: Int) throws ->
      Void
  /// Called when a group is durable, on the writing thread.
  package let landed: @Sendable () -> Void

  /// A follower of these two steps.
  package init(
    write:
      @escaping @Sendable (
        any KeyValueGroup, _ project: Text, StoredObject, Change, _ depth: Int
      ) throws -> Void,
    landed: @escaping @Sendable () -> Void
  ) {
    self.write = write
    self.landed = landed
  }
}
