/// One connection that keeps a number of calls in flight.
///
/// A slot is one call in flight; it runs operations one after the other until the run's time is over
/// or its operation has nothing more to do. One thread's, like its loop.
final class LoadConnection: FrameConnectionOwner {
  private struct Slot {
    var operation: any Operation
    var started: Int64 = 0
    var messages: [[UInt8]] = []
    var isDone = false
  }

  private let plan: RunPlan
  private let loop: ConnectionLoop
  private var headers: RequestHeaders
  private var random: RandomSource
  private var slots: [Slot]
  private var slotOfStream: [Int: Int] = [:]
  private var openSlots: Int
  private var connection: FrameConnection?
  private(set) var measurement: Measurement

  /// Connects; `begin` makes the first calls.
  init(
    plan: RunPlan,
    operations: [any Operation],
    random: RandomSource,
    loop: ConnectionLoop
  ) throws {
    self.plan = plan
    self.loop = loop
    self.random = random
    headers = RequestHeaders(plan.target)
    slots = operations.map { Slot(operation: $0) }
    openSlots = operations.count
    measurement = Measurement(slots: operations.count)
    connection = try loop.open(plan.target, owner: self, remembersHeaders: true)
  }

  /// Whether the server takes calls.
  var isReady: Bool { connection?.isReady ?? false }

  /// Whether every slot has ended.
  var isDone: Bool { openSlots == 0 }

  /// Makes the first calls.
  func begin() throws {
    guard let connection else { return }
    for slot in slots.indices { startOperation(slot, connection, now: monotonicNanoseconds()) }
    try loop.flush(connection)
  }

  /// Closes the connection.
  func close() throws {
    if let connection { try loop.close(connection) }
    connection = nil
  }

  func receive(
    _ message: UnsafeRawBufferPointer,
    on stream: Int,
    of connection: FrameConnection,
    now: Int64
  ) {
    guard let slot = slotOfStream[stream] else { return }
    slots[slot].messages.append(Array(message))
  }

  func streamEnded(
    _ stream: Int,
    of connection: FrameConnection,
    code: Int,
    text: String,
    now: Int64
  ) {
    guard let index = slotOfStream.removeValue(forKey: stream) else { return }
    let answer = Answer(status: code, statusMessage: text, messages: slots[index].messages)
    slots[index].messages.removeAll(keepingCapacity: true)
    switch slots[index].operation.receive(answer, &random) {
    case .call(let call) where !connection.isClosed:
      measurement.retries += answer.status == Answer.aborted ? 1 : 0
      return send(call, slot: index, connection)
    case .call:
      break
    case .finished(let documents):
      if slots[index].started >= plan.measureFrom {
        measurement.add(now - slots[index].started, documents: documents, slot: index)
      }
      measurement.acknowledgedDocuments += documents
    case .failed(let name):
      measurement.add(error: name)
    }
    startOperation(index, connection, now: now)
  }

  private func startOperation(_ index: Int, _ connection: FrameConnection, now: Int64) {
    guard now < plan.end, !connection.isClosed, let call = slots[index].operation.begin(&random)
    else {
      if !slots[index].isDone { openSlots -= 1 }
      slots[index].isDone = true
      return
    }
    slots[index].started = now
    send(call, slot: index, connection)
  }

  private func send(_ call: OutgoingCall, slot: Int, _ connection: FrameConnection) {
    let block = headers.block(of: call.method)
    let stream = connection.open(block, message: call.message, isLast: true)
    slotOfStream[stream] = slot
  }
}
