/// Listeners over any number of streams and connections: opens them, counts their messages.
///
/// A delivery counts when the server has said that the stream is consistent again: only then would
/// a client show it.
final class ListenerFleet: FrameConnectionOwner {
  private struct Stream {
    let targets: Range<Int>
    var currents = 0
    var isConsistent = false
    var changes: [(number: Int, targets: Int)] = []
  }

  /// The numbers of listeners, streams and connections, and the user whose products each listener
  /// wants.
  struct Plan {
    let target: LoadTarget
    let listeners: Int
    let streams: Int
    let connections: Int
    let user: (_ listener: Int) -> String
    var keepsTokens = false
  }

  /// The counts of events other than changes.
  struct Counts {
    var consistentStreams = 0
    var currents = 0
    /// Documents sent, a listener each.
    var documents = 0
    var removals = 0
    var filters = 0
    var resets = 0
    var errors: [String: Int] = [:]
  }

  private let plan: Plan
  private let loop: ConnectionLoop
  private let ledger: DeliveryLedger?
  private let headers: [UInt8]
  private var connections: [FrameConnection] = []
  /// The streams by connection, then by their order.
  private var streams: [Int: [Stream]] = [:]
  private(set) var tokens: [[UInt8]]
  private(set) var counts = Counts()
  private var isClosing = false

  init(
    _ plan: Plan,
    loop: ConnectionLoop,
    ledger: DeliveryLedger?,
    resuming tokens: [[UInt8]]? = nil
  ) {
    self.plan = plan
    self.loop = loop
    self.ledger = ledger
    self.tokens =
      tokens ?? [[UInt8]](repeating: [], count: plan.keepsTokens ? plan.listeners : 0)
    headers = FrameCodec.callHeaders(path: ListenMessages.listenPath, target: plan.target)
  }

  /// Opens all and waits until every stream is consistent.
  func open(seconds: Int64 = 120) throws {
    let deadline = monotonicNanoseconds() + seconds * 1_000_000_000
    for index in 0..<plan.connections {
      let connection = try loop.open(plan.target, owner: self)
      connections.append(connection)
      // The system queues only some connections that the server has not taken.
      if index % 32 == 31 { try loop.run(until: deadline) { connection.isReady } }
      try openStreams(of: index, on: connection)
    }
    let isOpen = try loop.run(until: deadline) {
      counts.consistentStreams == plan.streams || !counts.errors.isEmpty
    }
    guard isOpen, counts.errors.isEmpty else {
      let detail = counts.errors.first.map { "\($0.value) x \($0.key)" } ?? "not in time"
      throw LoadError.refused(
        "listening: \(counts.consistentStreams) of \(plan.streams) streams; \(detail)"
      )
    }
  }

  /// Closes all connections.
  func close() throws {
    isClosing = true
    for connection in connections { try loop.close(connection) }
    connections = []
  }

  private func openStreams(of index: Int, on connection: FrameConnection) throws {
    let mine = Self.share(plan.streams, of: index, among: plan.connections)
    streams[connection.number] = []
    for number in mine {
      let targets = Self.share(plan.listeners, of: number, among: plan.streams)
      streams[connection.number]?.append(Stream(targets: targets))
      var id: Int?
      for listener in targets {
        let message = ListenMessages.add(
          listener - targets.lowerBound + 1,
          user: plan.user(listener),
          token: tokens.isEmpty ? [] : tokens[listener],
          in: plan.target
        )
        if let id {
          connection.send(message, on: id)
        } else {
          id = connection.open(headers, message: message, isLast: false)
        }
      }
    }
    try loop.flush(connection)
  }

  /// The part of so many things that belongs to one of several.
  private static func share(_ all: Int, of index: Int, among parts: Int) -> Range<Int> {
    index * all / parts..<(index + 1) * all / parts
  }

  func receive(
    _ message: UnsafeRawBufferPointer,
    on stream: Int,
    of connection: FrameConnection,
    now: Int64
  ) {
    let index = (stream - 1) / 2
    guard let answer = ListenAnswer(message, keepsTokens: plan.keepsTokens) else {
      return count(error: "a malformed message")
    }
    switch answer {
    case .change(let number, let targets):
      counts.documents += targets
      streams[connection.number]?[index].changes.append((number, targets))
    case .consistent(let token):
      beConsistent(index, of: connection.number, token: token, now: now)
    case .current(let target, let token):
      counts.currents += 1
      streams[connection.number]?[index].currents += 1
      keep(token, of: target, on: index, of: connection.number)
    case .removal: counts.removals += 1
    case .filter: counts.filters += 1
    case .reset(let targets): counts.resets += max(targets, 1)
    case .removed(let target, let cause): count(error: "target \(target) removed: \(cause)")
    case .added, .other: break
    }
  }

  private func beConsistent(_ index: Int, of connection: Int, token: [UInt8], now: Int64) {
    guard let stream = streams[connection]?[index] else { return }
    if !stream.isConsistent, stream.currents >= stream.targets.count {
      streams[connection]?[index].isConsistent = true
      counts.consistentStreams += 1
    }
    if plan.keepsTokens, !token.isEmpty {
      for listener in stream.targets { tokens[listener] = token }
    }
    guard !stream.changes.isEmpty else { return }
    streams[connection]?[index].changes = []
    for change in stream.changes {
      ledger?.deliver(change.number, targets: change.targets, now: now)
    }
  }

  private func keep(_ token: [UInt8], of target: Int, on index: Int, of connection: Int) {
    guard plan.keepsTokens, let stream = streams[connection]?[index] else { return }
    tokens[stream.targets.lowerBound + target - 1] = token
  }

  func streamEnded(
    _ stream: Int,
    of connection: FrameConnection,
    code: Int,
    text: String,
    now: Int64
  ) {
    if !isClosing { count(error: "stream ended: code \(code): \(text)") }
  }

  private func count(error: String) { counts.errors[error, default: 0] += 1 }
}
