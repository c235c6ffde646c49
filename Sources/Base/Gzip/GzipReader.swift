import CZlib
import Locking

/// Expands content in the form of gzip (RFC 1952) as it arrives.
///
/// Bytes go in by `feed`, expanded ones come out of `next` in parts until that is nil, `finish`
/// says that the content has ended. Several members one after the other are one content; other
/// bytes after them have no meaning. No I/O, but work enough for a thread that may block. One call
/// at a time.
package final class GzipReader: Sendable {
  /// The error of content that cannot be expanded.
  package enum Problem: Error, Sendable, Equatable {
    case damaged
    case truncated
    /// More came out than the bound.
    case tooLarge
  }

  fileprivate enum State {
    case member
    /// A member has ended; another may begin.
    case between
    case over
  }

  fileprivate struct Progress {
    let stream: UnsafeMutablePointer<z_stream>
    var state = State.member
    var input: [UInt8] = []
    var position = 0
    var output: Int64 = 0
    /// True if zlib may have more output without input.
    var isHolding = false
  }

  /// The most bytes that `next` returns.
  package static let partBytes = 256 << 10
  /// The first bytes of every gzip member.
  package static let signature: [UInt8] = [0x1F, 0x8B]

  private let limit: Int64
  private let progress: Lock<Progress>

  /// Expands content that has come whole.
  ///
  /// - Parameter limit: The most bytes that may come out; `Problem.tooLarge` where there are more.
  package static func unpacked(_ bytes: [UInt8], limit: Int64) throws(Problem) -> [UInt8] {
    let reader = GzipReader(limit: limit)
    reader.feed(bytes)
    var unpacked: [UInt8] = []
    while let part = try reader.next() { unpacked += part }
    try reader.finish()
    return unpacked
  }

  /// A reader that gives at most so many bytes in all.
  package init(limit: Int64) {
    self.limit = limit
    let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 15 bits of window, and 16 for a gzip header.
    let size = Int32(MemoryLayout<z_stream>.size)
    let isReady = inflateInit2_(stream, 15 + 16, ZLIB_VERSION, size)
    precondition(isReady == Z_OK, "zlib takes the parameters")
    progress = Lock(Progress(stream: stream))
  }

  deinit {
    progress.withLock { progress in
      inflateEnd(progress.stream)
      progress.stream.deallocate()
    }
  }

  /// Takes the next bytes; all that came before have been given.
  package func feed(_ bytes: [UInt8]) {
    progress.withLock { progress in
      progress.input = bytes
      progress.position = 0
    }
  }

  /// The next expanded bytes; nil where more have to be fed.
  package func next() throws(Problem) -> [UInt8]? {
    try progress.withLock { progress throws(Problem) in try progress.next(limit) }
  }

  /// Says that the content has ended; throws where a member has not.
  package func finish() throws(Problem) {
    guard progress.withLock({ $0.state != .member }) else { throw .truncated }
  }
}

extension GzipReader.Progress {
  fileprivate mutating func next(_ limit: Int64) throws(GzipReader.Problem) -> [UInt8]? {
    while position < input.count || isHolding {
      if state == .between { beginMember() }
      guard state == .member else {
        position = input.count
        return nil
      }
      let bytes = try expand()
      guard !bytes.isEmpty else { continue }
      output += Int64(bytes.count)
      guard output <= limit else { throw .tooLarge }
      return bytes
    }
    return nil
  }

  private mutating func beginMember() {
    guard input[position] == GzipReader.signature[0], inflateReset(stream) == Z_OK else {
      state = .over
      return
    }
    state = .member
  }

  /// One step of zlib.
  private mutating func expand() throws(GzipReader.Problem) -> [UInt8] {
    var code = Z_OK
    var rest = 0
    let (from, stream) = (position, stream)
    let bytes = input.withUnsafeMutableBufferPointer { source in
      stream.pointee.next_in = source.baseAddress.map { $0 + from }
      stream.pointee.avail_in = uInt(source.count - from)
      return [UInt8](unsafeUninitializedCapacity: GzipReader.partBytes) { room, count in
        stream.pointee.next_out = room.baseAddress
        stream.pointee.avail_out = uInt(GzipReader.partBytes)
        code = inflate(stream, Z_NO_FLUSH)
        count = GzipReader.partBytes - Int(stream.pointee.avail_out)
        rest = Int(stream.pointee.avail_in)
      }
    }
    position = input.count - rest
    isHolding = bytes.count == GzipReader.partBytes && code == Z_OK
    switch code {
    case Z_OK, Z_BUF_ERROR: break
    case Z_STREAM_END: state = .between
    default: throw .damaged
    }
    return bytes
  }
}
