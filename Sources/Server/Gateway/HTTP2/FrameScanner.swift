import NIOCore
import NIOHTTP2

/// Finds in a client's bytes, as they come in pieces, the frames that say how much it takes, and
/// counts those that cost the server more than the client.
///
/// A frame is nine bytes of head (three of length, one of type, one of flags, four of stream) and
/// its payload. Nothing is checked beyond what it takes to find them: malformed bytes count as
/// other bytes, for their reader to refuse.
struct FrameScanner {
  /// A part of what came, in order.
  enum Piece {
    /// Bytes of other frames, cut anywhere: of one stream that is opened at most, and of few frames.
    case other(ByteBuffer)
    /// A whole WINDOW_UPDATE.
    case windowUpdate(HTTP2StreamID, increment: Int, frame: ByteBuffer)
    /// A whole SETTINGS that is no acknowledgement.
    case settings(AnnouncedSettings, frame: ByteBuffer)
  }

  /// The part of a client's settings that concerns the sending of DATA.
  struct AnnouncedSettings: Equatable {
    var initialWindow: Int?
    var frameBytes: Int?
  }

  static let headBytes = 9
  private static let prefaceBytes = 24
  private static let largestSettings = 1 << 14
  /// The number of frames that are passed on at once.
  private static let framesOfPiece = 32

  /// RST_STREAM frames that have come.
  private(set) var resets = 0
  /// PING, SETTINGS, PRIORITY, ALTSVC and ORIGIN frames that have come.
  private(set) var controls = 0
  /// The cost of all frames that have come, by `UnservedRequestCredit`.
  private(set) var cost = 0
  /// The number of bytes that are kept of a frame that is not complete and of a header block that
  /// has not ended, here and in the HTTP/2 layer, which takes DATA alone in pieces.
  var unfinishedBytes: Int {
    if frameBytes == 0 { return blockBytes + bytes.readableBytes }
    return blockBytes + max(frameBytes - passing, bytes.readableBytes)
  }

  private var bytes = ByteBuffer()
  /// The size of the whole frames of a header block that has not ended.
  private var blockBytes = 0
  /// The size of the frame that passes, head included; 0 for DATA and between frames.
  private var frameBytes = 0
  /// True if that frame is part of a header block that continues after it.
  private var isBlockOpen = false
  /// The number of bytes still to pass on unseen: of the preface at first, then of a frame.
  private var passing = prefaceBytes

  /// True if received bytes were not passed on yet; they may be too few to be.
  var hasUnread: Bool { bytes.readableBytes > 0 }

  /// Takes what came.
  mutating func append(_ data: ByteBuffer) {
    if bytes.readableBytes == 0 { bytes = data } else { bytes.writeImmutableBuffer(data) }
  }

  /// The next part; nil until more has come.
  mutating func next() -> Piece? {
    var end = bytes.readerIndex
    var frames = 0
    while true {
      let skipped = min(passing, bytes.writerIndex - end)
      passing -= skipped
      end += skipped
      guard passing == 0 else { break }
      finishFrame()
      guard let head = Head(bytes, at: end) else { break }
      guard head.isWanted else {
        if end > bytes.readerIndex, head.opensStream || frames == Self.framesOfPiece { break }
        frames += 1
        count(head)
        passing = Self.headBytes + head.length
        frameBytes = head.isData ? 0 : passing
        isBlockOpen = head.opensBlock
        continue
      }
      if end > bytes.readerIndex { break }
      return takeFrame(head)
    }
    return takeOther(upTo: end)
  }

  /// Completes the frame that passed.
  private mutating func finishFrame() {
    guard frameBytes > 0 else { return }
    blockBytes = isBlockOpen ? blockBytes + frameBytes : 0
    frameBytes = 0
  }

  private mutating func takeOther(upTo end: Int) -> Piece? {
    let piece = bytes.readSlice(length: end - bytes.readerIndex)
    // The bytes read so far go back to the channel.
    if bytes.readableBytes == 0 { bytes = ByteBuffer() }
    guard let piece, piece.readableBytes > 0 else { return nil }
    return .other(piece)
  }

  private mutating func takeFrame(_ head: Head) -> Piece? {
    guard let frame = bytes.readSlice(length: Self.headBytes + head.length) else { return nil }
    if bytes.readableBytes == 0 { bytes = ByteBuffer() }
    count(head)
    let payload = frame.readerIndex + Self.headBytes
    if head.kind == .windowUpdate {
      let increment = frame.getInteger(at: payload, as: UInt32.self) ?? 0
      let stream = HTTP2StreamID(Int(head.stream))
      return .windowUpdate(stream, increment: Int(increment & 0x7FFF_FFFF), frame: frame)
    }
    return .settings(AnnouncedSettings(frame, at: payload), frame: frame)
  }

  private mutating func count(_ head: Head) {
    cost += head.cost
    switch head.kind {
    case .reset: resets += 1
    case .priority, .settings, .ping, .alternativeService, .origin: controls += 1
    case .windowUpdate, nil: break
    }
  }

  /// A frame's head.
  private struct Head {
    enum Kind: UInt8 {
      case priority = 2
      case reset = 3
      case settings = 4
      case ping = 6
      case windowUpdate = 8
      case alternativeService = 10
      case origin = 12
    }

    private static let data: UInt8 = 0
    private static let headers: UInt8 = 1
    private static let blockKinds: Set<UInt8> = [1, 5, 9]
    private static let endOfBlock: UInt8 = 4

    let length: Int
    let number: UInt8
    /// Nil for all others.
    let kind: Kind?
    let flags: UInt8
    let stream: UInt32

    init?(_ bytes: ByteBuffer, at index: Int) {
      guard let first = bytes.getInteger(at: index, as: UInt32.self),
        let flags = bytes.getInteger(at: index + 4, as: UInt8.self),
        let stream = bytes.getInteger(at: index + 5, as: UInt32.self)
      else { return nil }
      length = Int(first >> 8)
      number = UInt8(truncatingIfNeeded: first)
      kind = Kind(rawValue: number)
      self.flags = flags
      self.stream = stream & 0x7FFF_FFFF
    }

    var isData: Bool { number == Self.data }

    /// The frame's cost by `UnservedRequestCredit`.
    var cost: Int {
      if opensStream { return UnservedRequestCredit.request }
      return isData && length >= UnservedRequestCredit.usefulBytes ? 0 : 1
    }

    /// True if it is HEADERS.
    var opensStream: Bool { number == Self.headers }

    /// True if it is HEADERS, PUSH_PROMISE or CONTINUATION and another CONTINUATION follows.
    var opensBlock: Bool {
      flags & Self.endOfBlock == 0 && Self.blockKinds.contains(number)
    }

    var isWanted: Bool {
      switch kind {
      case .windowUpdate: length == 4
      case .settings:
        flags & 1 == 0 && stream == 0 && length % 6 == 0
          && length <= FrameScanner.largestSettings
      case .priority, .reset, .ping, .alternativeService, .origin, nil: false
      }
    }
  }
}

extension FrameScanner.AnnouncedSettings {
  private static let initialWindowParameter: UInt16 = 4
  private static let frameBytesParameter: UInt16 = 5

  /// Reads a payload: two bytes of parameter and four of value, repeated.
  fileprivate init(_ frame: ByteBuffer, at start: Int) {
    for index in stride(from: start, to: frame.writerIndex, by: 6) {
      guard let parameter = frame.getInteger(at: index, as: UInt16.self),
        let value = frame.getInteger(at: index + 2, as: UInt32.self)
      else { return }
      switch parameter {
      case Self.initialWindowParameter where value <= 0x7FFF_FFFF: initialWindow = Int(value)
      case Self.frameBytesParameter where (1 << 14..<1 << 24).contains(value):
        frameBytes = Int(value)
      default: continue
      }
    }
  }
}
