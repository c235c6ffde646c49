/// One connection that keeps a number of calls in flight.
///
/// A slot is one call in flight; it runs operations one after the other until the run's time is over
/// or its operation has nothing more to do. With a pace it begins one when it is due, and is free in between. One
/// thread's, like its loop.
final class LoadConnection: FrameConnectionOwner {
  private struct Slot {
    var operation: any Operation
    var started: Int64 = 0
    var messages: [[UInt8]] = []
    var isDone = false
  }

  private let plan: RunPlan
  private let pace: Pace?
  /// Slots that wait for a call to be due.
  private var free: [Int] = []
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
    loop: ConnectionLoop,
    pace: Pace? = nil
  ) throws {
    self.plan = plan
    self.pace = pace
    self.loop = loop
    self.random = random
    headers = RequestHeaders(plan.target)
    slots = operations.map { Slot(operation: $0) }
    openSlots = operations.count
    measurement = Measurement(slots: operations.count)
    connection = try loop.open(plan.target, owner: self, remembersHeaders: true)
  }

  /// True if the server takes calls.
  var isReady: Bool { connection?.isReady ?? false }

  /// True if every slot has ended.
  var isDone: Bool { openSlots == 0 }

  /// Makes the first calls.
  func begin() throws {
    guard let connection else { return }
    let now = monotonicNanoseconds()
    for slot in slots.indices { startNext(slot, connection, now: now) }
    try loop.flush(connection)
  }

  /// Begins the call that is due in a free slot; false where there is none of either.
  func beginDue(now: Int64) throws -> Bool {
    guard let connection, let pace, !free.isEmpty, let due = pace.take(now) else { return false }
    startOperation(free.removeLast(), connection, now: due)
    try loop.flush(connection)
    return true
  }

  /// Ends the free slots: no further call will be due.
  func endFree() {
    for slot in free { end(slot) }
    free = []
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
    startNext(index, connection, now: now)
  }

  /// Begins a slot's next operation: now, or where there is a pace with the call that is due.
  private func startNext(_ index: Int, _ connection: FrameConnection, now: Int64) {
    guard let pace, !connection.isClosed else {
      return startOperation(index, connection, now: now)
    }
    guard let due = pace.take(now) else { return free.append(index) }
    startOperation(index, connection, now: due)
  }

  private func startOperation(_ index: Int, _ connection: FrameConnection, now: Int64) {
    guard now < plan.end, !connection.isClosed, let call = slots[index].operation.begin(&random)
    else { return end(index) }
    slots[index].started = now
    send(call, slot: index, connection)
  }

  private func end(_ index: Int) {
    if !slots[index].isDone { openSlots -= 1 }
    slots[index].isDone = true
  }

  private func send(_ call: OutgoingCall, slot: Int, _ connection: FrameConnection) {
    let block = headers.block(of: call.method)
    let stream = connection.open(block, message: call.message, isLast: true)
    slotOfStream[stream] = slot
  }
}
