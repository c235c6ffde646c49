import Foundation

/// Devices with an open stream each, messages sent to them at a steady rate, and how long each takes until its
/// acknowledgement is answered.
final class MessageStreamRun {
  private struct Stream {
    let socket: LoadSocket
    let token: [UInt8]
    let authToken: [UInt8]
    var unread: [UInt8] = []
  }

  /// A connection for sends or acknowledgements, with what it waits for.
  private struct Worker {
    let connection: FileConnection
    var work: Work?
  }

  private enum Work {
    case send(number: Int)
    case acknowledgement(number: Int)
  }

  private struct Arrival {
    let stream: Int
    let sequence: Int64
    let number: Int
  }

  private let target: PushTarget
  private var acknowledgement: RequestTemplate?
  private var message: RequestTemplate?
  private var poller: Poller
  private var streams: [Stream] = []
  private var workers: [Worker] = []
  /// Free connections of the back end, and of devices.
  private var idleSenders: [Int] = []
  private var idleDevices: [Int] = []
  private var arrivals: [Arrival] = []
  private var nextArrival = 0
  private var unsent = 0
  /// The times at which each message's send began; the text of a message is its number.
  private var started: [Int64] = []
  private var random = RandomSource(seed: 1)
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)

  /// From a send's start to its response, to the message's arrival, and to the response to its acknowledgement.
  private(set) var answers = LatencyHistogram()
  private(set) var deliveries = LatencyHistogram()
  private(set) var acknowledgements = LatencyHistogram()
  private(set) var errors: [String: Int] = [:]
  /// Sends that are answered, refused ones included.
  private var answeredSends = 0

  private static let batch = 64
  /// Connections for sends, and as many for acknowledgements: the headers of a back end's requests are the same each time.
  private static let workerCount = 128
  private static let firstWorker = 1 << 40

  init(_ target: PushTarget) throws {
    self.target = target
    poller = try Poller()
  }

  deinit { buffer.deallocate() }

  /// Opens the devices' streams, some at a time, and returns when each has its first line.
  func open(_ devices: [PushDevice]) throws {
    if let first = devices.first {
      acknowledgement = try target.acknowledgement(like: first)
      message = try target.message(like: first.token)
    }
    for device in devices {
      let request = target.stream(of: device)
      guard case .bytes(let body) = request.body else { return }
      let socket = try LoadSocket(host: target.server.host, port: target.server.port)
      let number = streams.count
      let (token, authToken) = (Array(device.token.utf8), Array(device.authToken.utf8))
      streams.append(Stream(socket: socket, token: token, authToken: authToken))
      try poller.add(socket.descriptor, number: number)
      guard socket.send(request.head(target.server) + body) else { throw Self.closed }
      if number % Self.batch == Self.batch - 1 { try awaitOpen(from: number - Self.batch + 1) }
    }
    try awaitOpen(from: streams.count / Self.batch * Self.batch)
  }

  private func awaitOpen(from first: Int) throws {
    var open: Set<Int> = []
    let deadline = monotonicNanoseconds() + 60_000_000_000
    while open.count < streams.count - first {
      guard monotonicNanoseconds() < deadline else { throw LoadError.noAnswer("a stream") }
      for number in try ready() where number >= first {
        try read(number)
        if ByteSearch.first(Mark.connected, in: streams[number].unread) != nil {
          open.insert(number)
        }
      }
    }
    for number in open { streams[number].unread.removeAll() }
  }

  /// Sends so many messages a second for so many seconds, each to a random device, and waits for the last response: that to
  /// a send may come behind the one to its message's acknowledgement.
  func send(rate: Int, seconds: Int) throws {
    try connectWorkers()
    let begun = monotonicNanoseconds()
    let total = rate * seconds
    let deadline = begun + Int64(seconds + 60) * 1_000_000_000
    while answeredSends < total || acknowledgements.count + errors.values.reduce(0, +) < total {
      let now = monotonicNanoseconds()
      guard now < deadline else {
        throw LoadError.refused(
          "\(total - answeredSends) sends are not answered, \(total - acknowledgements.count) messages not acknowledged"
        )
      }
      let due = min(total, Int(Double(now - begun) / 1e9 * Double(rate)))
      // A send that finds no free connection counts from when it was due.
      while started.count < due { started.append(now) }
      try begin()
      for number in try ready() {
        if number >= Self.firstWorker {
          try answer(number - Self.firstWorker)
        } else {
          try read(number)
          takeArrivals(number)
        }
      }
    }
  }

  private func connectWorkers() throws {
    let content = FileContent(seed: 0, length: 1)
    while workers.count < 2 * Self.workerCount {
      let connection = try FileConnection(target.server, content)
      try poller.add(connection.descriptor, number: Self.firstWorker + workers.count)
      rest(workers.count)
      workers.append(Worker(connection: connection))
    }
  }

  private func rest(_ worker: Int) {
    if worker < Self.workerCount { idleSenders.append(worker) } else { idleDevices.append(worker) }
  }

  /// Gives free connections something to do, acknowledgements first.
  private func begin() throws {
    while nextArrival < arrivals.count, let worker = idleDevices.popLast() {
      let arrival = arrivals[nextArrival]
      nextArrival += 1
      if nextArrival == arrivals.count { (arrivals, nextArrival) = ([], 0) }
      let (token, authToken) = (streams[arrival.stream].token, streams[arrival.stream].authToken)
      let sequence = RequestTemplate.digits(arrival.sequence)
      let request = acknowledgement?.filled([token, authToken, sequence])
      try begin(.acknowledgement(number: arrival.number), request, worker)
    }
    while unsent < started.count, let worker = idleSenders.popLast() {
      let token = streams[random.below(streams.count)].token
      let request = message?.filled([token, RequestTemplate.digits(Int64(unsent))])
      try begin(.send(number: unsent), request, worker)
      unsent += 1
    }
  }

  private func begin(_ work: Work, _ request: [UInt8]?, _ worker: Int) throws {
    guard let request else { throw LoadError.refused("a request has no template") }
    workers[worker].work = work
    try workers[worker].connection.send(request)
  }

  private func answer(_ worker: Int) throws {
    guard let work = workers[worker].work,
      let answer = try workers[worker].connection.receive(into: buffer)
    else { return }
    let now = monotonicNanoseconds()
    workers[worker].work = nil
    rest(worker)
    if case .send = work { answeredSends += 1 }
    guard answer.status == 200 else {
      errors[answer.errorName, default: 0] += 1
      return
    }
    switch work {
    case .send(let number): answers.add(now - started[number])
    case .acknowledgement(let number): acknowledgements.add(now - started[number])
    }
  }

  // MARK: What comes

  private func ready() throws -> [Int] {
    var numbers: [Int] = []
    try poller.wait(milliseconds: 1) { numbers.append($0.number) }
    return numbers
  }

  private func read(_ number: Int) throws {
    guard let count = streams[number].socket.read(into: buffer) else { throw Self.closed }
    streams[number].unread += buffer[..<count]
  }

  private func takeArrivals(_ number: Int) {
    let now = monotonicNanoseconds()
    guard let last = streams[number].unread.lastIndex(of: 0x0A) else { return }
    let lines = streams[number].unread[...last].split(separator: 0x0A)
    streams[number].unread.removeFirst(last + 1)
    for line in lines.map(Array.init) {
      // Sizes of chunks are lines too.
      guard let sequence = Self.number(after: Mark.sequence, line),
        let message = Self.number(after: Mark.number, line)
      else { continue }
      deliveries.add(now - started[Int(message)])
      arrivals.append(Arrival(stream: number, sequence: sequence, number: Int(message)))
    }
  }

  private static func number(after mark: [UInt8], _ line: [UInt8]) -> Int64? {
    guard let start = ByteSearch.first(mark, in: line) else { return nil }
    let digits = line[(start + mark.count)...].prefix { (0x30...0x39).contains($0) }
    return digits.reduce(0) { $0 * 10 + Int64($1 & 0x0F) }
  }

  /// Texts in the lines of a stream.
  private enum Mark {
    static let connected = Array("\"connected\"".utf8)
    static let sequence = Array("\"sequence\":\"".utf8)
    static let number = Array("\"number\":\"".utf8)
  }

  private static let closed = LoadError.refused("a stream was closed")
}
