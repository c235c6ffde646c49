import BaseRuntime
import KeyValueStore
import Synchronization

/// The connection by which an engine is one of the nodes of a store: it is listed, is notified of
/// others' writes, and may lead.
///
/// One node leads, by a lease: it does the work that need be done only once. A thread of its own
/// serves the connection.
final class NodeSession: Sendable {
  private let connector: Connector
  private let schema: StoreSchema
  private let node: Int64
  private let lease: LeaderLease
  private let bell: WakePipe
  private let thread = Mutex<StoreThread?>(nil)
  private let address = Mutex("")

  /// Microseconds between two looks without a notification.
  private static let interval = 1_000_000
  private static let leaseRenewal = Duration.seconds(1)
  private static let beat = Duration.seconds(1)
  private static let trimInterval = Duration.seconds(60)

  init(_ connector: Connector, _ schema: StoreSchema, node: Int64) throws {
    self.connector = connector
    self.schema = schema
    self.node = node
    lease = LeaderLease(schema, node: node)
    bell = try WakePipe()
  }

  /// The number by which others know this node.
  var number: NodeNumber { NodeNumber(UInt64(bitPattern: node)) }

  /// The address with which the node is listed from its next beat on.
  func setAddress(_ text: String) { address.withLock { $0 = text } }

  /// The term in which this node does what only one does; nil where another one does.
  var term: Int64? { lease.term }

  /// Begins; `news` is called whenever others may have written.
  func start(news: @escaping @Sendable () -> Void) {
    let started = StoreThread { self.serve(news) }
    thread.withLock { $0 = started }
  }

  /// Takes the node off the list and ends, once the connector is closed.
  func close() {
    bell.ring()
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }

  private func serve(_ news: () -> Void) {
    while !connector.isEnded {
      guard let connection = try? connector.retryingUntilClosed(open) else { return }
      follow(connection, news)
    }
  }

  private func open() throws -> PostgresConnection {
    let connection = try connector.connect(for: .notifications)
    try connection.run(schema.listen)
    return connection
  }

  /// Until the connection is lost or the engine closed.
  private func follow(_ connection: PostgresConnection, _ news: () -> Void) {
    var (nextRenewal, nextBeat, nextTrim) = (
      ContinuousClock.now, ContinuousClock.now, ContinuousClock.now
    )
    var isNews = true
    while !connection.isLost, !connector.isEnded {
      if isNews { news() }
      let now = ContinuousClock.now
      do {
        if now >= nextRenewal {
          try lease.renew(on: connection)
          nextRenewal = now + Self.leaseRenewal
        }
        if now >= nextBeat {
          try beat(connection)
          nextBeat = now + Self.beat
        }
        if now >= nextTrim {
          try connection.run(schema.logTrim)
          nextTrim = now + Self.trimInterval
        }
      } catch {
        // Work that fails on a working connection is retried later.
        nextRenewal = now + Self.leaseRenewal
        nextBeat = now + Self.beat
        nextTrim = now + Self.trimInterval
      }
      let payloads = connection.notifications(or: bell, microseconds: Self.interval)
      isNews = payloads.isEmpty || payloads.contains { $0 != "\(node)" }
    }
    guard !connection.isLost else { return }
    try? lease.giveBack(on: connection)
    _ = try? connection.run(schema.leave(node))
  }

  /// Has the node listed as one that is alive.
  func beat(_ connection: PostgresConnection) throws {
    try connection.run(
      schema.beat,
      [
        BinaryValue.number(node), Array(connector.configuration.nodeName.utf8),
        Array(address.withLock { $0 }.utf8),
      ]
    )
  }
}
