/// Drives many `FrameConnection`s on the thread that calls it.
final class ConnectionLoop {
  private var poller: Poller
  private var connections: [Int: FrameConnection] = [:]
  private var nextNumber = 0
  /// Those whose socket had no room for all that was queued.
  private var waiting: Set<Int> = []
  private var ready: [Poller.Event] = []
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

  init() throws { poller = try Poller() }

  deinit { buffer.deallocate() }

  /// Connects once more.
  ///
  /// - Parameter remembersHeaders: Lets the server name headers that it has sent before.
  func open(
    _ target: LoadTarget,
    owner: any FrameConnectionOwner,
    remembersHeaders: Bool = false
  ) throws -> FrameConnection {
    let connection = try FrameConnection(
      number: nextNumber,
      target: target,
      owner: owner,
      remembersHeaders: remembersHeaders
    )
    nextNumber += 1
    connections[connection.number] = connection
    try poller.add(connection.socket.descriptor, number: connection.number)
    try flush(connection)
    return connection
  }

  /// Sends what was queued on a connection.
  func flush(_ connection: FrameConnection) throws {
    guard connection.flush() else { return try close(connection) }
    let mustWait = connection.socket.hasUnsent
    guard mustWait != waiting.contains(connection.number) else { return }
    try poller.setWriting(
      mustWait,
      connection.socket.descriptor,
      number: connection.number
    )
    if mustWait {
      waiting.insert(connection.number)
    } else {
      waiting.remove(connection.number)
    }
  }

  /// Closes a connection, whose streams end.
  func close(_ connection: FrameConnection) throws {
    guard connections.removeValue(forKey: connection.number) != nil else { return }
    waiting.remove(connection.number)
    try poller.remove(connection.socket.descriptor, number: connection.number)
    connection.close(now: monotonicNanoseconds())
  }

  /// Handles arriving data until the condition holds or the time has come; returns true if it
  /// holds.
  @discardableResult
  func run(until deadline: Int64, _ isDone: () -> Bool = { false }) throws -> Bool {
    while !isDone() {
      let left = deadline - monotonicNanoseconds()
      guard left > 0 else { return false }
      // The poller counts milliseconds: a fraction of one is waited for before.
      if left < 1_000_000 { try poller.pause(nanoseconds: left) }
      let milliseconds = min(left / 1_000_000, 1_000)
      // Ready descriptors are handled when the poller is free to be changed.
      ready.removeAll(keepingCapacity: true)
      try poller.wait(milliseconds: Int32(milliseconds)) { ready.append($0) }
      for event in ready { try handle(event) }
    }
    return true
  }

  private func handle(_ event: Poller.Event) throws {
    guard let connection = connections[event.number] else { return }
    guard connection.receive(into: buffer) else { return try close(connection) }
    try flush(connection)
  }
}
