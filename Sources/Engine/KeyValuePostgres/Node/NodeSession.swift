import KeyValueStore
import Synchronization

/// The connection by which an engine is one of the nodes of a store: it is listed, hears when others have written, and may lead.
///
/// One node leads, which is who does what need be done only once: whose session holds a lock of the server. A node that is cut off goes on leading in
/// its own eyes for the seconds in which a lost connection goes unnoticed, so what a leader does must bear being done
/// twice. A thread of its own serves it; any may ask `leads`.
final class NodeSession: Sendable {
  private let connector: Connector
  private let schema: StoreSchema
  private let node: Int64
  private let isLeading = Atomic(false)
  private let bell: WakePipe
  private let thread = Mutex<StoreThread?>(nil)

  /// Microseconds between two looks without a notification.
  private static let interval = 1_000_000
  private static let beat = Duration.seconds(5)
  private static let trimInterval = Duration.seconds(60)

  init(_ connector: Connector, _ schema: StoreSchema, node: Int64) throws {
    self.connector = connector
    self.schema = schema
    self.node = node
    bell = try WakePipe()
  }

  /// Whether this node does what only one does.
  var leads: Bool { isLeading.load(ordering: .relaxed) }

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
      isLeading.store(false, ordering: .relaxed)
    }
  }

  private func open() throws -> PostgresConnection {
    let connection = try connector.connect(for: .notifications)
    try connection.run(schema.listen)
    return connection
  }

  /// Until the connection is lost or the engine closed.
  private func follow(_ connection: PostgresConnection, _ news: () -> Void) {
    var (nextBeat, nextTrim) = (ContinuousClock.now, ContinuousClock.now)
    var isNews = true
    while !connection.isLost, !connector.isEnded {
      if isNews { news() }
      let now = ContinuousClock.now
      do {
        try lead(connection)
        if now >= nextBeat {
          try beat(connection)
          nextBeat = now + Self.beat
        }
        if now >= nextTrim {
          try connection.run(schema.logTrim)
          nextTrim = now + Self.trimInterval
        }
      } catch {
        // What fails on a connection that lasts is done another time.
        nextBeat = now + Self.beat
        nextTrim = now + Self.trimInterval
      }
      let payloads = connection.notifications(or: bell, microseconds: Self.interval)
      isNews = payloads.isEmpty || payloads.contains { $0 != "\(node)" }
    }
    if !connection.isLost { _ = try? connection.run(schema.leave(node)) }
  }

  /// Becomes who leads where nobody does.
  private func lead(_ connection: PostgresConnection) throws {
    guard !leads, try connection.run(schema.leaderQuery).number(0, 0) == 1 else { return }
    isLeading.store(true, ordering: .relaxed)
  }

  private func beat(_ connection: PostgresConnection) throws {
    try connection.run(
      schema.beat,
      [
        BinaryValue.number(node), Array(connector.configuration.nodeName.utf8),
        BinaryValue.flag(leads),
      ]
    )
  }
}
