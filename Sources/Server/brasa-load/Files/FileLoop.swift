/// Drives the connections of one thread.
final class FileLoop {
  private struct Slot {
    var connection: FileConnection
    var operation: any FileOperation
    var random: RandomSource
    var started: Int64 = 0
    var isWriting = false
  }

  private let plan: FileRun
  private let measureFrom: Int64
  private let end: Int64
  private var poller: Poller
  private var slots: [Int: Slot] = [:]
  private var measurement = FileMeasurement()
  /// Connections that wait for their next round, and when it begins.
  private var waiting: [Int: Int64] = [:]
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)

  /// A loop that begins no round behind the end.
  init(_ run: FileRun, measuringFrom start: Int64, until end: Int64) throws {
    plan = run
    measureFrom = start
    self.end = end
    poller = try Poller()
  }

  deinit { buffer.deallocate() }

  /// Connects; `run` makes the first request.
  func open(_ number: Int, _ operation: any FileOperation, _ random: RandomSource) throws {
    let connection = try FileConnection(plan.target, plan.content)
    try poller.add(connection.descriptor, number: number)
    slots[number] = Slot(connection: connection, operation: operation, random: random)
  }

  /// Runs until all are done; requests without a byte for two minutes are given up.
  func run() throws -> FileMeasurement {
    let started = monotonicNanoseconds()
    for (place, number) in slots.keys.sorted().enumerated() {
      // Connections of a slow pace begin one after the other, not all at once.
      waiting[number] = started + plan.interval * Int64(place) / Int64(slots.count)
    }
    var quiet = started
    while !slots.isEmpty {
      try beginWaiting()
      // Ready descriptors are handled when the poller is free to be changed.
      var ready: [Int] = []
      try poller.wait(milliseconds: pause) { ready.append($0.number) }
      if !ready.isEmpty || !waiting.isEmpty { quiet = monotonicNanoseconds() }
      for number in ready { try handle(number) }
      guard monotonicNanoseconds() - quiet < 120_000_000_000 else {
        throw LoadError.refused("the server says nothing for two minutes")
      }
    }
    return measurement
  }

  /// Begins the rounds whose time has come.
  private func beginWaiting() throws {
    guard !waiting.isEmpty else { return }
    let now = monotonicNanoseconds()
    for (number, due) in waiting where due <= now || now >= end {
      waiting[number] = nil
      try begin(number)
    }
  }

  /// Milliseconds until the next round that waits; a second where none does.
  private var pause: Int32 {
    guard let next = waiting.values.min() else { return 1_000 }
    let left = (min(next, end) - monotonicNanoseconds()) / 1_000_000
    return Int32(clamping: max(1, min(1_000, left)))
  }

  /// Begins the next round, or waits for its time.
  private func next(_ number: Int) throws {
    guard plan.interval > 0, let slot = slots[number] else { return try begin(number) }
    waiting[number] = slot.started + plan.interval
  }

  private func begin(_ number: Int) throws {
    guard var slot = slots[number] else { return }
    let now = monotonicNanoseconds()
    guard now < end, let request = slot.operation.begin(&slot.random) else {
      try poller.remove(slot.connection.descriptor, number: number)
      slots[number] = nil
      return
    }
    slot.started = now
    slots[number] = slot
    try send(request, number)
  }

  private func send(_ request: FileRequest, _ number: Int) throws {
    guard var slot = slots[number] else { return }
    if slot.connection.isUsedUp {
      try poller.remove(slot.connection.descriptor, number: number)
      slot.connection = try FileConnection(plan.target, plan.content)
      slot.isWriting = false
      try poller.add(slot.connection.descriptor, number: number)
      slots[number] = slot
    }
    try slot.connection.send(request)
    try watchRoom(number)
  }

  private func handle(_ number: Int) throws {
    guard let slot = slots[number] else { return }
    try slot.connection.sendMore()
    if let answer = try slot.connection.receive(into: buffer) {
      try take(answer, number)
    } else {
      try watchRoom(number)
    }
  }

  private func take(_ answer: FileAnswer, _ number: Int) throws {
    guard var slot = slots[number] else { return }
    let step = slot.operation.receive(answer)
    slots[number] = slot
    switch step {
    case .request(let request): return try send(request, number)
    case .failed(let name): measurement.add(error: name)
    case .finished(let objects, let bytes):
      let now = monotonicNanoseconds()
      measurement.acknowledge(objects)
      if now >= measureFrom, now <= end {
        measurement.add(now - slot.started, objects: objects, bytes: bytes)
      }
    }
    try next(number)
  }

  /// Has the poller tell of room while something waits for it.
  private func watchRoom(_ number: Int) throws {
    guard let slot = slots[number], slot.isWriting != slot.connection.wantsToWrite else { return }
    slots[number]?.isWriting.toggle()
    try poller.setWriting(!slot.isWriting, slot.connection.descriptor, number: number)
  }
}
