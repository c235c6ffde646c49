import FirestoreSync
import Foundation

/// The source from which a read takes documents.
public enum FirestoreSource: UInt, Sendable {
  /// The server, or the cache where it cannot be reached.
  case `default` = 0
  /// The server alone.
  case server = 1
  /// The cache alone.
  case cache = 2
}

/// The source from which a listener takes documents.
public enum ListenSource: UInt, Sendable {
  /// The server, and the cache until it answers.
  case `default` = 0
  /// The cache alone.
  case cache = 1
}

/// The options of a listener.
public final class SnapshotListenOptions: NSObject, Sendable {
  /// The source of the documents.
  public let source: ListenSource
  /// True if the listener is also called for changes of metadata alone.
  public let includeMetadataChanges: Bool

  /// The server, and no changes of metadata alone.
  public override init() {
    source = .default
    includeMetadataChanges = false
  }

  init(source: ListenSource, includeMetadataChanges: Bool) {
    self.source = source
    self.includeMetadataChanges = includeMetadataChanges
  }

  /// The same options with another source.
  public func withSource(_ source: ListenSource) -> SnapshotListenOptions {
    SnapshotListenOptions(source: source, includeMetadataChanges: includeMetadataChanges)
  }

  /// The same options with or without changes of metadata alone.
  public func withIncludeMetadataChanges(_ include: Bool) -> SnapshotListenOptions {
    SnapshotListenOptions(source: source, includeMetadataChanges: include)
  }

  /// The client's form of them.
  var listenOptions: ListenOptions {
    ListenOptions(
      source: source == .cache ? .cache : .server,
      includesMetadataChanges: includeMetadataChanges
    )
  }
}
