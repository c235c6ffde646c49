/// Commits over connections of its own, in the loop that the listeners run in.
final class CommitWriter: FrameConnectionOwner {
  private let target: LoadTarget
  private let loop: ConnectionLoop
  private let ledger: DeliveryLedger
  private let headers: [UInt8]
  private var connections: [FrameConnection] = []
  private var numbers: [Int: [Int: Int]] = [:]
  private var turn = 0
  /// Called after each response, to make the next commit where it shall follow at once.
  var onAnswer: (() throws -> Void)?
  /// The error that occurred while a response was handled.
  private(set) var failure: (any Error)?

  /// Connects.
  init(
    _ target: LoadTarget,
    loop: ConnectionLoop,
    ledger: DeliveryLedger,
    connections count: Int
  )
    throws
  {
    self.target = target
    self.loop = loop
    self.ledger = ledger
    headers = FrameCodec.callHeaders(path: ListenMessages.commitPath, target: target)
    for _ in 0..<count {
      let connection = try loop.open(target, owner: self)
      connections.append(connection)
      numbers[connection.number] = [:]
    }
    try loop.run(until: monotonicNanoseconds() + 10_000_000_000) {
      connections.allSatisfy(\.isReady)
    }
  }

  /// Commits one document that so many listeners shall see, and gives the commit's number.
  @discardableResult
  func commit(id: String, user: String, expecting listeners: Int) throws -> Int {
    let number = ledger.begin(expecting: listeners, now: monotonicNanoseconds())
    let document = ListenedDocument(id: id, number: number, user: user)
    try send(ListenMessages.commit([document], in: target), number: number)
    return number
  }

  /// Commits several documents without listeners yet, and waits for the response.
  func fill(_ documents: [(id: String, user: String)]) throws {
    let number = ledger.begin(expecting: 0, now: monotonicNanoseconds())
    // Not a number of any commit, whose write could then change nothing.
    let all = documents.map { ListenedDocument(id: $0.id, number: -1, user: $0.user) }
    try send(ListenMessages.commit(all, in: target), number: number)
    try loop.run(until: monotonicNanoseconds() + 60_000_000_000) { ledger.openCount == 0 }
    if let error = ledger.errors.keys.first { throw LoadError.refused("filling: \(error)") }
  }

  /// Closes the connections.
  func close() throws { for connection in connections { try loop.close(connection) } }

  private func send(_ message: [UInt8], number: Int) throws {
    turn = (turn + 1) % connections.count
    let connection = connections[turn]
    let stream = connection.open(headers, message: message, isLast: true)
    numbers[connection.number]?[stream] = number
    try loop.flush(connection)
  }

  func receive(
    _ message: UnsafeRawBufferPointer,
    on stream: Int,
    of connection: FrameConnection,
    now: Int64
  ) {}

  func streamEnded(
    _ stream: Int,
    of connection: FrameConnection,
    code: Int,
    text: String,
    now: Int64
  ) {
    guard let number = numbers[connection.number]?.removeValue(forKey: stream) else { return }
    if code == 0 {
      ledger.acknowledge(number, now: now)
    } else {
      ledger.fail(number, "commit: code \(code): \(text)")
    }
    do { try onAnswer?() } catch { failure = failure ?? error }
  }
}
