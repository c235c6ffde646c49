import Foundation

/// How sure a snapshot is.
public final class SnapshotMetadata: NSObject, Sendable {
  /// Whether it has writes that the server does not have yet.
  public let hasPendingWrites: Bool
  /// Whether it is the cache's and may be behind the server.
  public let isFromCache: Bool

  package init(hasPendingWrites: Bool, isFromCache: Bool) {
    self.hasPendingWrites = hasPendingWrites
    self.isFromCache = isFromCache
  }

  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? SnapshotMetadata else { return false }
    return hasPendingWrites == other.hasPendingWrites && isFromCache == other.isFromCache
  }

  public override var hash: Int { (hasPendingWrites ? 2 : 0) + (isFromCache ? 1 : 0) }
}
