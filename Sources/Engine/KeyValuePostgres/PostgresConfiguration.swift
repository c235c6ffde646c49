import KeyValueStore

/// Where a store on PostgreSQL is, and how it is used.
package struct PostgresConfiguration: Sendable {
  /// Who else may have the store open.
  package enum Sharing: Sendable {
    /// Nobody: a second engine is refused, and one that another took over from stops for good.
    case exclusive
    /// Other engines that are `shared` too; each sees the others' commits.
    case shared
  }

  /// An address as libpq takes it: `postgres://user:password@host:port/database?sslmode=verify-full`.
  package var address: String
  /// The schema that holds the store's tables; lower-case letters, digits and underscores.
  package var schema = "brasa"
  package var sharing = Sharing.exclusive
  /// Connections for views at most; one more is for groups and one for read times.
  package var viewConnections = 32
  /// How long a call waits for a server that cannot be reached, and an opening for one that has the store.
  package var patience = Duration.seconds(5)
  /// The longest a group may rest between two statements, in milliseconds, before the server ends its
  /// transaction, so that a node that hangs does not keep the others from writing.
  package var groupIdleMilliseconds = 2_000
  /// What the list of nodes that share the store calls this one.
  package var nodeName = ""
  /// First bytes of keys that the log of a shared store leaves out, because nobody keeps in memory what lies there.
  package var unloggedFirstBytes: Set<UInt8> = []
  /// Told of every group that became durable: its keys and how long writing it took.
  package var groupObserver: (@Sendable (_ keys: Int, _ duration: Duration) -> Void)?

  /// A store of that address's database.
  package init(address: String) { self.address = address }

  /// The address without its password and its settings, for logs and messages.
  package var shownAddress: String {
    let shown = address.prefix { $0 != "?" }
    guard let scheme = shown.firstRange(of: "://"), let at = shown.lastIndex(of: "@") else {
      return String(shown)
    }
    let user = shown[scheme.upperBound..<at].prefix { $0 != ":" }
    return String(shown[..<scheme.upperBound] + user + shown[at...])
  }
}
