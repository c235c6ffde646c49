import Foundation

/// The certainty of a snapshot.
public final class SnapshotMetadata: NSObject, Sendable {
  /// True if it has writes that the server does not have yet.
  public let hasPendingWrites: Bool
  /// True if it is the cache's and may be behind the server.
  public let isFromCache: Bool

  /// Metadata of a snapshot that this library or a test makes.
  package init(hasPendingWrites: Bool, isFromCache: Bool) {
    self.hasPendingWrites = hasPendingWrites
    self.isFromCache = isFromCache
  }

  /// True where both flags are the same.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? SnapshotMetadata else { return false }
    return hasPendingWrites == other.hasPendingWrites && isFromCache == other.isFromCache
  }

  /// A number of 0 to 3, one for each combination of the flags.
  public override var hash: Int { (hasPendingWrites ? 2 : 0) + (isFromCache ? 1 : 0) }
}
