import BaseRuntime
import Logging
import ServiceModule

/// A node among others on one store: its claim on being home, and its ways to the others.
struct ClusterMembership {
  let home: HomeClaim
  let peers: PeerNodes
  /// The record of where the home node's files are.
  let files: FilesMark
  /// True for a node that may be home.
  let isCandidate: Bool

  /// Joins the nodes of a directory's store, as the home node if it may be and there is none; nil where a server has its store
  /// alone.
  ///
  /// Blocks.
  init?(
    _ directory: OpenDataDirectory,
    settings: ServeSettings,
    threads: EngineThreads,
    connections: Int
  ) throws {
    guard let engine = directory.sharedEngine, let home = try HomeClaim(engine: engine) else {
      return nil
    }
    let files = FilesMark(
      engine: directory.engine,
      directory: settings.dataDirectory,
      settings: settings.files,
      isOptional: settings.isHomeWithoutFiles
    )
    if settings.isHome, try files.isCurrent() { try home.takeIfFree() }
    guard
      let peers = try PeerNodes(
        engine: engine,
        home: home,
        threads: threads,
        connections: connections
      )
    else { return nil }
    self.home = home
    self.peers = peers
    self.files = files
    isCandidate = settings.isHome
  }

  /// The module that shows load balancers the home node, and becomes it.
  func homeModule(threads: EngineThreads) -> ServiceModule {
    .home(
      home,
      isCandidate: isCandidate,
      files: files,
      threads: threads,
      log: Logger(label: "nodes")
    )
  }
}
