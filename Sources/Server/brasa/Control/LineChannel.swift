#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines of UTF-8, and items of any bytes, over a stream socket, read and written with blocking calls by
/// one thread.
///
/// An item is a line with the number of its bytes in decimal digits, then the bytes themselves.
final class LineChannel {
  /// The longest line that is read: a ruleset or a file of indexes as JSON.
  static let longestLine = 16 * 1024 * 1024
  /// The longest item that is read: more than the message of any document, whose writing is bounded by
  /// the size of a request.
  static let longestItem = 64 * 1024 * 1024

  private let descriptor: CInt
  private var buffer: [UInt8] = []
  private var start = 0
  /// True if the other side may write before it has read everything: its bytes are then read between writes.
  ///
  /// Otherwise two sides that both wait for room would wait forever.
  var readsWhileWriting = false
  private var hasEnded = false

  /// Takes over the descriptor and closes it at the end.
  init(descriptor: CInt) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// The next line without its end; nil when the other side has finished.
  func readLine() throws -> String? {
    var searched = start
    while true {
      if let end = buffer[searched...].firstIndex(of: 0x0A) {
        defer { start = end + 1 }
        return String(decoding: buffer[start..<end], as: UTF8.self)
      }
      searched = buffer.count
      guard searched - start <= Self.longestLine else { throw ControlError.lineTooLong }
      guard try fill(&searched) else { return nil }
    }
  }

  /// The next item; nil when the other side has finished.
  func readItem() throws -> [UInt8]? {
    guard let line = try readLine() else { return nil }
    guard let count = Int(line), (0...Self.longestItem).contains(count) else {
      throw ControlError.malformed("an item of \(line.prefix(20)) bytes")
    }
    return try readBytes(count)
  }

  /// So many bytes that must follow.
  func readBytes(_ count: Int) throws -> [UInt8] {
    let known = min(count, buffer.count - start)
    var bytes = Array(buffer[start..<(start + known)])
    start += known
    bytes.reserveCapacity(count)
    while bytes.count < count {
      let room = min(count - bytes.count, 1 << 20)
      let read = try read(room, into: &bytes)
      guard read > 0 else { throw ControlError.malformed("an item that ends early") }
    }
    return bytes
  }

  /// Reads more bytes behind the remaining ones; false at the end of the stream.
  private func fill(_ searched: inout Int) throws -> Bool {
    if start > 0 {
      buffer.removeFirst(start)
      searched -= start
      start = 0
    }
    return try read(64 * 1024, into: &buffer) > 0
  }

  /// Appends up to so many bytes, and answers how many; none at the end of the stream.
  private func read(_ room: Int, into target: inout [UInt8]) throws -> Int {
    let old = target.count
    target.append(contentsOf: repeatElement(0, count: room))
    while true {
      let count = target.withUnsafeMutableBytes { bytes in
        readSome(descriptor, bytes.baseAddress.map { $0 + old }, room)
      }
      if count < 0, errno == EINTR { continue }
      target.removeLast(room - max(count, 0))
      guard count >= 0 else { throw ControlError.system("read", errno) }
      return count
    }
  }

  /// Writes the line and its end.
  func writeLine(_ line: String) throws {
    var bytes = Array(line.utf8)
    bytes.append(0x0A)
    try writeBytes(bytes)
  }

  /// Writes an item.
  func writeItem(_ bytes: [UInt8]) throws {
    try writeLine(String(bytes.count))
    try writeBytes(bytes)
  }

  /// Writes bytes as they are.
  func writeBytes(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      if readsWhileWriting { try waitForRoom() }
      let count = bytes.withUnsafeBytes { pointer in
        pointer.baseAddress.map {
          sendQuietly(descriptor, $0 + sent, bytes.count - sent, waits: !readsWhileWriting)
        } ?? 0
      }
      if count < 0 {
        if errno == EINTR || readsWhileWriting && errno == EAGAIN { continue }
        throw ControlError.system("write", errno)
      }
      sent += count
    }
  }

  /// Waits until something can be written, and reads what comes meanwhile.
  private func waitForRoom() throws {
    while true {
      let events = hasEnded ? POLLOUT : POLLOUT | POLLIN
      var state = pollfd(fd: descriptor, events: Int16(events), revents: 0)
      guard poll(&state, 1, -1) >= 0 else {
        if errno == EINTR { continue }
        throw ControlError.system("poll", errno)
      }
      if Int32(state.revents) & Int32(POLLIN) != 0 {
        hasEnded = try read(64 * 1024, into: &buffer) == 0
      }
      if Int32(state.revents) & ~Int32(POLLIN) != 0 { return }
    }
  }

  /// Signals the other side that no more lines follow.
  func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }
}

/// The system's call, which the channel's own names would hide.
private func readSome(_ descriptor: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(descriptor, bytes, count)
}

/// Sends without raising SIGPIPE when the other side is gone.
private func sendQuietly(
  _ descriptor: CInt,
  _ bytes: UnsafeRawPointer,
  _ count: Int,
  waits: Bool
) -> Int {
  let flags = waits ? 0 : Int32(MSG_DONTWAIT)
  #if canImport(Darwin)
  return send(descriptor, bytes, count, flags)
  #else
  return send(descriptor, bytes, count, flags | Int32(MSG_NOSIGNAL))
  #endif
}

/// A failure of the control socket.
enum ControlError: Error, CustomStringConvertible {
  case lineTooLong
  case pathTooLong(String)
  case system(String, CInt)
  case malformed(String)
  case refused(code: Int, message: String)

  var description: String {
    switch self {
    case .lineTooLong: "a line on the control socket is longer than 16 MiB"
    case .pathTooLong(let path): "the path of the control socket is too long: \(path)"
    case .system(let call, let number): "\(call): \(String(cString: strerror(number)))"
    case .malformed(let what): "the control socket said something unexpected: \(what)"
    case .refused(_, let message): message
    }
  }
}
