/// The address of a store on PostgreSQL, and the way in which it is used.
package struct PostgresConfiguration: Sendable {
  /// The other engines that may have the store open.
  package enum Sharing: Sendable {
    /// No other: a second engine is refused, and one that another took over from stops for good.
    case exclusive
    /// Other engines that are `shared` too; each sees the others' commits.
    case shared
  }

  /// An address as libpq takes it: `postgres://user:password@host:port/database?sslmode=verify-full`.
  package var address: String
  /// The schema that holds the store's tables; lower-case letters, digits and underscores.
  package var schema = "brasa"
  /// The mode that every engine on the schema must agree on.
  package var sharing = Sharing.exclusive
  /// Connections for views at most; others are for groups, read times, the log and notifications, one each.
  package var viewConnections = 32
  /// The time that a call waits for a server that cannot be reached, and an opening for an engine
  /// that has the store.
  package var patience = Duration.seconds(5)
  /// The longest a group may rest between two statements, in milliseconds, before the server ends its
  /// transaction, so that a node that hangs does not keep the others from writing.
  package var groupIdleMilliseconds = 2_000
  /// The name of this node in the list of nodes that share the store.
  package var nodeName = ""
  /// First bytes of keys that the log of a shared store omits, because no engine keeps that data in
  /// memory.
  package var unloggedFirstBytes: Set<UInt8> = []
  /// The treatment of steps of the server's clock.
  package var clockSteps = ClockSteps.followed
  /// Throws where the server's time and the store's last version, in microseconds, refuse an opening; not called for a
  /// clock that is accepted.
  package var openingCheck: (@Sendable (_ now: Int64, _ lastVersion: Int64) throws -> Void)?
  /// Told of every group that became durable: its keys and how long writing it took.
  package var groupObserver: (@Sendable (_ keys: Int, _ duration: Duration) -> Void)?

  /// A store of that address's database.
  package init(address: String) { self.address = address }

  /// The address without its password and its settings, for logs and messages.
  ///
  /// If the address is unclear, which no engine opens, this is the scheme alone.
  package var shownAddress: String {
    guard let parts else { return address.prefix { $0 != ":" } + "://…" }
    let user = parts.user.map { $0.prefix { $0 != ":" } + "@" } ?? ""
    return parts.scheme + user + parts.rest.prefix { $0 != "?" }
  }

  /// True if libpq reads the address as its author means it.
  ///
  /// An address with an unencoded `@`, `/` or `%` in its password would be read otherwise, and
  /// parts of the password would appear in error messages.
  package var isClear: Bool { parts != nil }

  /// The address up to its user, the user with the password, and the rest; nil if it is not clear.
  private var parts: (scheme: Substring, user: Substring?, rest: Substring)? {
    guard let scheme = address.firstRange(of: "://"),
      !address.contains(/%(?![0-9A-Fa-f]{2})/)
    else { return nil }
    let start = address[..<scheme.upperBound]
    var (user, rest): (Substring?, Substring) = (nil, address[scheme.upperBound...])
    if let at = rest.prefix(while: { $0 != "/" }).firstIndex(of: "@") {
      (user, rest) = (rest[..<at], rest[rest.index(after: at)...])
    }
    let path = rest.prefix { $0 != "?" }
    let hosts = path.prefix { $0 != "/" }.split(separator: ",")
    guard !path.contains("@"), hosts.allSatisfy({ $0.contains(/^(\[[^\]]*\]|[^:]*)(:[0-9]*)?$/) })
    else { return nil }
    return (start, user, rest)
  }
}
