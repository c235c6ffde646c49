import BaseRuntime
import Logging
import ServiceModule

/// A node among others on one store: its lease as the primary, and its connections to the others.
struct ClusterMembership {
  let lease: PrimaryLease
  let peers: PeerNodes
  /// The record of where the primary's files are.
  let files: FilesMark
  /// True for a candidate for the primary.
  let isCandidate: Bool

  /// Joins the nodes of a directory's store, as the primary if it may be and there is none; nil where a server has its store
  /// alone.
  ///
  /// Blocks.
  init?(
    _ directory: OpenDataDirectory,
    settings: ServeSettings,
    threads: EngineThreads,
    connections: Int
  ) throws {
    guard let engine = directory.sharedEngine, let lease = try PrimaryLease(engine: engine) else {
      return nil
    }
    let files = FilesMark(
      engine: directory.engine,
      directory: settings.dataDirectory,
      settings: settings.files,
      isOptional: settings.isPrimaryWithoutFiles
    )
    if settings.isPrimaryCandidate, try files.isCurrent() { try lease.takeIfFree() }
    guard
      let peers = try PeerNodes(
        engine: engine,
        lease: lease,
        threads: threads,
        connections: connections
      )
    else { return nil }
    self.lease = lease
    self.peers = peers
    self.files = files
    isCandidate = settings.isPrimaryCandidate
  }

  /// The module that shows load balancers the primary, and becomes it.
  func homeModule(threads: EngineThreads) -> ServiceModule {
    .primary(
      lease,
      isCandidate: isCandidate,
      files: files,
      threads: threads,
      log: Logger(label: "nodes")
    )
  }
}
