/// Reads single frames from a raw HTTP/2 connection.
struct FrameReader {
  /// A frame as it came.
  struct Frame {
    let type: UInt8
    let flags: UInt8
    let stream: UInt32
    let payload: [UInt8]

    var isData: Bool { type == 0 }
    /// True if it is the HEADERS frame that ends a stream.
    var isTrailers: Bool { type == 1 && flags & 1 == 1 }
  }

  private static let ping: UInt8 = 6

  let client: RawClient
  private var unread: [UInt8] = []

  /// Greets the server with those settings, two bytes of parameter and four of value each.
  init(port: Int, settings: [UInt8] = []) async throws {
    client = try await RawClient.connect(to: port)
    let frame = RawClient.frame(type: 4, flags: 0, stream: 0, settings)
    try await client.send(RawClient.preface + frame)
  }

  /// Opens Listen on those streams.
  func listen(_ streams: [UInt32]) async throws {
    try await client.send(
      streams.flatMap { RawClient.headers(stream: $0, RawClient.call("Listen")) }
    )
  }

  /// The frames up to the first that the predicate holds for, or to the connection's end.
  mutating func frames(until isLast: (Frame) -> Bool) async -> [Frame] {
    var seen: [Frame] = []
    while true {
      while let frame = takeFrame() {
        seen.append(frame)
        if isLast(frame) { return seen }
      }
      let more = await client.receive { _ in true }
      if more.isEmpty { return seen }
      unread += more
    }
  }

  /// All frames that the server sends by itself now.
  ///
  /// It sends two pings: the second is acknowledged after everything that could be sent when the
  /// first came.
  mutating func settle() async throws -> [Frame] {
    var seen: [Frame] = []
    for _ in 0..<2 {
      let ping = RawClient.frame(
        type: Self.ping,
        flags: 0,
        stream: 0,
        [UInt8](repeating: 7, count: 8)
      )
      try await client.send(ping)
      seen += await frames { $0.type == Self.ping }
    }
    return seen
  }

  /// A WINDOW_UPDATE.
  static func window(_ stream: UInt32, _ increment: UInt32) -> [UInt8] {
    RawClient.frame(type: 8, flags: 0, stream: stream, bytes(increment))
  }

  /// A setting of a SETTINGS frame.
  static func setting(_ parameter: UInt8, _ value: UInt32) -> [UInt8] {
    [0, parameter] + bytes(value)
  }

  private static func bytes(_ value: UInt32) -> [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
  }

  private mutating func takeFrame() -> Frame? {
    guard unread.count >= 9 else { return nil }
    let length = Int(unread[0]) << 16 | Int(unread[1]) << 8 | Int(unread[2])
    guard unread.count >= 9 + length else { return nil }
    let frame = Frame(
      type: unread[3],
      flags: unread[4],
      stream: unread[5...8].reduce(0) { $0 << 8 | UInt32($1) },
      payload: Array(unread[9..<9 + length])
    )
    unread.removeFirst(9 + length)
    return frame
  }
}

extension [FrameReader.Frame] {
  /// The DATA of a stream, or of all.
  func data(of stream: UInt32? = nil) -> [UInt8] {
    filter { $0.isData && (stream == nil || $0.stream == stream) }.flatMap(\.payload)
  }
}
