/// Receives the data on the streams of a `FrameConnection`.
protocol FrameConnectionOwner: AnyObject {
  /// A gRPC message, lent for the call. `now` is when its bytes were read.
  func receive(
    _ message: UnsafeRawBufferPointer,
    on stream: Int,
    of connection: FrameConnection,
    now: Int64
  )
  /// The server ended the stream, or the connection ended under it (code 14).
  func streamEnded(
    _ stream: Int,
    of connection: FrameConnection,
    code: Int,
    text: String,
    now: Int64
  )
}

/// An HTTP/2 connection that carries gRPC streams of any length, for thousands of them a thread.
///
/// One thread's. It copies a message only where a read cut it, and decodes headers only where a
/// stream ends. It gives the server the largest window there is, and keeps to the server's.
final class FrameConnection {
  private final class Stream {
    /// The beginning of a message whose end has not come.
    var partial: [UInt8] = []
    var window: Int
    /// The bytes that the server's window has no room for yet.
    var unsent: [UInt8] = []
    var endsAfterUnsent = false
    var received = 0

    init(window: Int) { self.window = window }
  }

  /// The number by which the loop knows the connection.
  let number: Int
  let socket: LoadSocket
  /// True if the server's settings came: it takes calls.
  private(set) var isReady = false
  private(set) var isClosed = false
  private unowned let owner: any FrameConnectionOwner
  private var streams: [Int: Stream] = [:]
  private var nextStream = 1
  /// The beginning of a frame whose end has not come.
  private var partial: [UInt8] = []
  private var outgoing: [UInt8]
  /// Nil where the server may not refer to headers that it sent before.
  private var responseHeaders: ResponseHeaders?
  private var window = FrameCodec.usualWindow
  private var streamWindow = FrameCodec.usualWindow
  private var received = 0

  /// Connects; the opening is sent with the first `flush`.
  init(
    number: Int,
    target: LoadTarget,
    owner: any FrameConnectionOwner,
    remembersHeaders: Bool
  ) throws {
    self.number = number
    self.owner = owner
    outgoing = FrameCodec.opening(remembersHeaders: remembersHeaders)
    responseHeaders = remembersHeaders ? ResponseHeaders() : nil
    socket = try LoadSocket(host: target.host, port: target.port)
  }

  // MARK: Sending

  /// Opens a stream with a block of headers and its first message, and gives its id.
  func open(_ headers: [UInt8], message: [UInt8], isLast: Bool) -> Int {
    let id = nextStream
    nextStream += 2
    FrameCodec.append(FrameCodec.Kind.headers, flags: 4, headers, on: id, to: &outgoing)
    let length = message.count + 5
    guard length <= min(window, streamWindow, FrameCodec.largestPayload) else {
      streams[id] = Stream(window: streamWindow)
      send(message, on: id, isLast: isLast)
      return id
    }
    streams[id] = Stream(window: streamWindow - length)
    window -= length
    FrameCodec.appendHead(
      FrameCodec.Kind.data,
      flags: isLast ? 1 : 0,
      length: length,
      on: id,
      to: &outgoing
    )
    outgoing.append(0)
    FrameCodec.appendInteger(message.count, to: &outgoing)
    outgoing += message
    return id
  }

  /// Sends one more message on a stream.
  func send(_ message: [UInt8], on id: Int, isLast: Bool = false) {
    guard let stream = streams[id] else { return }
    let length = UInt32(message.count)
    let prefix = [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: length >> (24 - $0)) }
    stream.unsent += [0] + prefix + message
    stream.endsAfterUnsent = isLast
    sendUnsent(of: id)
  }

  /// Passes queued data to the system; false when the connection has ended.
  func flush() -> Bool {
    guard !isClosed else { return false }
    if outgoing.isEmpty { return socket.sendUnsent() }
    defer { outgoing.removeAll(keepingCapacity: outgoing.count < 1 << 16) }
    return socket.send(outgoing)
  }

  private func sendUnsent(of id: Int) {
    guard let stream = streams[id] else { return }
    var sent = 0
    while sent < stream.unsent.count {
      let room = min(window, stream.window, FrameCodec.largestPayload)
      let count = min(room, stream.unsent.count - sent)
      guard count > 0 else { break }
      let isEnd = stream.endsAfterUnsent && sent + count == stream.unsent.count
      let part = stream.unsent[sent..<sent + count]
      FrameCodec.append(
        FrameCodec.Kind.data,
        flags: isEnd ? 1 : 0,
        part,
        on: id,
        to: &outgoing
      )
      sent += count
      window -= count
      stream.window -= count
    }
    stream.unsent.removeFirst(sent)
  }

  // MARK: Receiving

  /// Reads all that has come; false when the connection has ended.
  func receive(into buffer: UnsafeMutableRawBufferPointer) -> Bool {
    while !isClosed {
      guard let count = socket.read(into: buffer) else { return false }
      if count == 0 { return true }
      take(UnsafeRawBufferPointer(rebasing: buffer[..<count]), now: monotonicNanoseconds())
      if count < buffer.count { return true }
    }
    return false
  }

  /// Ends every stream; the loop calls it once.
  func close(now: Int64) {
    guard !isClosed else { return }
    isClosed = true
    let open = streams.keys.sorted()
    streams = [:]
    for id in open {
      owner.streamEnded(
        id,
        of: self,
        code: Answer.unavailable,
        text: "connection closed",
        now: now
      )
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer, now: Int64) {
    if partial.isEmpty {
      let taken = takeFrames(bytes, now: now)
      if taken < bytes.count { partial = Array(bytes[taken...]) }
    } else {
      var joined = partial
      joined.append(contentsOf: bytes)
      let taken = joined.withUnsafeBytes { takeFrames($0, now: now) }
      joined.removeFirst(taken)
      partial = joined
    }
  }

  /// Handles the whole frames at the start and gives how many bytes they were.
  private func takeFrames(_ bytes: UnsafeRawBufferPointer, now: Int64) -> Int {
    var offset = 0
    while bytes.count - offset >= FrameCodec.Head.size {
      let head = FrameCodec.Head(UnsafeRawBufferPointer(rebasing: bytes[offset...]))
      let start = offset + FrameCodec.Head.size
      guard bytes.count - start >= head.length else { break }
      let end = start + head.length
      take(head, UnsafeRawBufferPointer(rebasing: bytes[start..<end]), now: now)
      offset = end
    }
    return offset
  }

  private func take(_ head: FrameCodec.Head, _ payload: UnsafeRawBufferPointer, now: Int64) {
    switch head.kind {
    case FrameCodec.Kind.data: takeData(head, payload, now: now)
    case FrameCodec.Kind.headers: takeHeaders(head, payload, now: now)
    case FrameCodec.Kind.settings where !head.hasFirstFlag: takeSettings(payload)
    case FrameCodec.Kind.ping where !head.hasFirstFlag:
      FrameCodec.append(FrameCodec.Kind.ping, flags: 1, payload, on: 0, to: &outgoing)
    case FrameCodec.Kind.windowUpdate where payload.count == 4:
      let count = FrameCodec.integer(payload, at: 0)
      if head.stream == 0 { window += count } else { streams[head.stream]?.window += count }
      for id in head.stream == 0 ? Array(streams.keys) : [head.stream] { sendUnsent(of: id) }
    case FrameCodec.Kind.reset where payload.count == 4:
      end(head.stream, code: 14, text: "reset \(FrameCodec.integer(payload, at: 0))", now: now)
    default: break
    }
  }

  private func takeSettings(_ payload: UnsafeRawBufferPointer) {
    for offset in stride(from: 0, to: payload.count - 5, by: 6) where payload[offset + 1] == 4 {
      let value = FrameCodec.integer(payload, at: offset + 2)
      for id in Array(streams.keys) { streams[id]?.window += value - streamWindow }
      streamWindow = value
    }
    FrameCodec.append(FrameCodec.Kind.settings, flags: 1, [], on: 0, to: &outgoing)
    isReady = true
    for id in Array(streams.keys) { sendUnsent(of: id) }
  }

  private func takeData(_ head: FrameCodec.Head, _ whole: UnsafeRawBufferPointer, now: Int64) {
    giveWindow(whole.count)
    guard let stream = streams[head.stream] else { return }
    giveWindow(whole.count, to: stream, head.stream)
    var payload = whole
    if head.isPadded, let padding = payload.first, Int(padding) < payload.count {
      payload = UnsafeRawBufferPointer(rebasing: payload[1..<payload.count - Int(padding)])
    }
    takeMessages(payload, on: stream, head.stream, now: now)
    if head.hasFirstFlag { end(head.stream, code: 2, text: "no trailers", now: now) }
  }

  /// Counts received bytes, and returns them once half of the window is used.
  private func giveWindow(_ count: Int) {
    received += count
    guard received > FrameCodec.largestWindow / 2 else { return }
    FrameCodec.appendWindowUpdate(received, on: 0, to: &outgoing)
    received = 0
  }

  private func giveWindow(_ count: Int, to stream: Stream, _ id: Int) {
    stream.received += count
    guard stream.received > FrameCodec.largestWindow / 2 else { return }
    FrameCodec.appendWindowUpdate(stream.received, on: id, to: &outgoing)
    stream.received = 0
  }

  private func takeMessages(
    _ payload: UnsafeRawBufferPointer,
    on stream: Stream,
    _ id: Int,
    now: Int64
  ) {
    if stream.partial.isEmpty {
      let taken = passMessages(payload, on: id, now: now)
      if taken < payload.count { stream.partial = Array(payload[taken...]) }
    } else {
      var joined = stream.partial
      joined.append(contentsOf: payload)
      let taken = joined.withUnsafeBytes { passMessages($0, on: id, now: now) }
      joined.removeFirst(taken)
      stream.partial = joined
    }
  }

  private func passMessages(_ bytes: UnsafeRawBufferPointer, on id: Int, now: Int64) -> Int {
    var offset = 0
    while bytes.count - offset >= 5 {
      let length = FrameCodec.integer(bytes, at: offset + 1)
      let start = offset + 5
      guard bytes.count - start >= length else { break }
      let message = UnsafeRawBufferPointer(rebasing: bytes[start..<start + length])
      owner.receive(message, on: id, of: self, now: now)
      offset = start + length
    }
    return offset
  }

  private func takeHeaders(_ head: FrameCodec.Head, _ payload: UnsafeRawBufferPointer, now: Int64) {
    var start = 0
    var end = payload.count
    if head.isPadded, let padding = payload.first {
      start += 1
      end -= Int(padding)
    }
    if head.hasPriority { start += 5 }
    guard start <= end else { return }
    let block = UnsafeRawBufferPointer(rebasing: payload[start..<end])
    guard head.hasFirstFlag else {
      responseHeaders?.skip(block)
      return
    }
    let ending =
      responseHeaders != nil ? responseHeaders?.ending(block) : ResponseHeaders.ending(alone: block)
    self.end(head.stream, code: ending?.status ?? 2, text: ending?.text ?? "", now: now)
  }

  private func end(_ id: Int, code: Int, text: String, now: Int64) {
    guard streams.removeValue(forKey: id) != nil else { return }
    owner.streamEnded(id, of: self, code: code, text: text, now: now)
  }
}
