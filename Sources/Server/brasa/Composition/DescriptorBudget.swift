import ArgumentParser

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The division of the file descriptors that the process may have open.
///
/// The store comes first: a store that cannot open a file stops taking writes. A fixed reserve is
/// for its logs, flushes and merges, and for the event loops, commands, mail and fetches.
/// Connections get the rest, so they never take the last ones: libdispatch ends a process that
/// cannot open the files in which it looks up its threads. A node of a cluster keeps half of that
/// for connections to others, since a client's request may take one of each.
struct DescriptorBudget: Sendable, Equatable {
  /// The number that the system lets the process have.
  let limit: Int
  /// True if some are for connections to other nodes of a cluster.
  let hasPeers: Bool

  /// Neither the store's tables nor connections.
  private static let reserve = 128
  private static let fewest = 192
  private static let mostTables = 512
  private static let mostFiles = 256
  private static let mostConnections = 12_000
  private static let mostToPeer = 4_096

  /// A share-out of that many.
  init(limit: Int, hasPeers: Bool = false) throws {
    guard limit >= Self.fewest else {
      throw ValidationError(
        """
        The system lets this process open \(limit) files; it needs \(Self.fewest) at least. Raise the \
        limit (ulimit -Hn, or LimitNOFILE= of a systemd unit).
        """
      )
    }
    self.limit = limit
    self.hasPeers = hasPeers
  }

  /// Raises the process's limit as far as it may and shares that out.
  static func raisingLimit(hasPeers: Bool = false) throws -> DescriptorBudget {
    var allowed = rlimit()
    #if canImport(Glibc)
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
    let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &allowed) == 0 else {
      return try DescriptorBudget(limit: fewest, hasPeers: hasPeers)
    }
    var raised = allowed
    #if canImport(Darwin)
    raised.rlim_cur = min(allowed.rlim_max, rlim_t(OPEN_MAX))
    #else
    raised.rlim_cur = allowed.rlim_max
    #endif
    let limit = setrlimit(resource, &raised) == 0 ? raised.rlim_cur : allowed.rlim_cur
    return try DescriptorBudget(limit: Int(clamping: limit), hasPeers: hasPeers)
  }

  /// Tables that the store keeps open.
  var tables: Int { min(Self.mostTables, limit / 4) }

  /// Stored files that stay open while they are read or written; more are opened for each part.
  var files: Int { min(Self.mostFiles, (limit - Self.fewest) / 16) }

  /// Connections of clients that may be open.
  var connections: Int { min(Self.mostConnections, hasPeers ? left / 2 : left) }

  /// Connections of each kind to one other node: there are two kinds, and two such nodes that have much to do with this one, and two
  /// kinds more to the primary.
  var toPeer: Int { min(Self.mostToPeer, left / 12) }

  private var left: Int { limit - Self.reserve - tables - files }

  /// True if the limit leaves connections fewer than the product takes.
  var isTight: Bool { connections < Self.mostConnections }
}
