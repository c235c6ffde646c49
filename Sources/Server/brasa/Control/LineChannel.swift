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
  /// Room for what was read; the bytes from `start` to `end` have not been taken.
  private var buffer: [UInt8] = []
  private var start = 0
  private var end = 0
  /// Items that were written and not sent.
  private var pending: [UInt8] = []
  /// True if the other side may write before it has read everything: its bytes are then read between writes.
  ///
  /// Otherwise two sides that both wait for room would wait forever.
  var readsWhileWriting = false
  private var hasEnded = false

  /// Bytes that are read at once.
  private static let readTogether = 256 << 10
  /// Bytes of items that are sent together; one system call for each item would cost more than the item.
  private static let sentTogether = 128 << 10

  /// Takes over the descriptor and closes it at the end.
  init(descriptor: CInt) { self.descriptor = descriptor }

  deinit { close(descriptor) }

  /// The next line without its end; nil when the other side has finished.
  func readLine() throws -> String? {
    guard let line = try takeLine() else { return nil }
    return String(decoding: buffer[line], as: UTF8.self)
  }

  /// The next item; nil when the other side has finished.
  func readItem() throws -> [UInt8]? {
    guard let line = try takeLine() else { return nil }
    guard let count = Self.number(buffer[line]), count <= Self.longestItem else {
      let text = String(decoding: buffer[line].prefix(20), as: UTF8.self)
      throw ControlError.malformed("an item of \(text) bytes")
    }
    return try readBytes(count)
  }

  /// So many bytes that must follow.
  func readBytes(_ count: Int) throws -> [UInt8] {
    try [UInt8](unsafeUninitializedCapacity: count) { target, filled in
      let target = UnsafeMutableRawBufferPointer(target)
      filled = min(count, end - start)
      buffer.withUnsafeBytes { bytes in
        target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<start + filled]))
      }
      start += filled
      while filled < count {
        let rest = UnsafeMutableRawBufferPointer(rebasing: target[filled..<count])
        let more = try read(into: rest)
        guard more > 0 else { throw ControlError.malformed("an item that ends early") }
        filled += more
      }
    }
  }

  /// Takes the next line, and returns its place in the buffer without its end; nil at the end of the stream.
  private func takeLine() throws -> Range<Int>? {
    var searched = start
    while true {
      if let found = buffer[searched..<end].firstIndex(of: 0x0A) {
        defer { start = found + 1 }
        return start..<found
      }
      guard end - start <= Self.longestLine else { throw ControlError.lineTooLong }
      let length = end - start
      guard try fill() else { return nil }
      searched = start + length
    }
  }

  /// The number that decimal digits are; nil for other bytes.
  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    guard (1...9).contains(digits.count) else { return nil }
    var number = 0
    for digit in digits {
      guard (0x30...0x39).contains(digit) else { return nil }
      number = number * 10 + Int(digit & 0x0F)
    }
    return number
  }

  /// Reads more bytes behind the remaining ones; false at the end of the stream.
  private func fill() throws -> Bool {
    if start > 0 {
      // Mostly there are none, or the beginning of one item.
      buffer.withUnsafeMutableBytes { bytes in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        UnsafeMutableRawBufferPointer(rebasing: bytes[..<rest.count]).copyMemory(from: rest)
      }
      (start, end) = (0, end - start)
    }
    if buffer.count - end < Self.readTogether {
      buffer.append(contentsOf: repeatElement(0, count: max(Self.readTogether, buffer.count)))
    }
    let more = try buffer.withUnsafeMutableBytes { bytes in
      try read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[end..<end + Self.readTogether]))
    }
    end += more
    return more > 0
  }

  /// Reads up to as many bytes as there is room for, and returns how many; none at the end of the stream.
  private func read(into room: UnsafeMutableRawBufferPointer) throws -> Int {
    while true {
      let count = readSome(descriptor, room.baseAddress, room.count)
      if count < 0, errno == EINTR { continue }
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

  /// Writes an item, which is sent with others: at the latest by `finishWriting`.
  func writeItem(_ bytes: [UInt8]) throws {
    pending.append(contentsOf: String(bytes.count).utf8)
    pending.append(0x0A)
    pending.append(contentsOf: bytes)
    if pending.count >= Self.sentTogether { try sendItems() }
  }

  /// Sends the items that wait for others.
  func sendItems() throws {
    guard !pending.isEmpty else { return }
    try writeBytes(pending)
    pending.removeAll(keepingCapacity: pending.count <= 2 * Self.sentTogether)
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
        hasEnded = try !fill()
      }
      if Int32(state.revents) & ~Int32(POLLIN) != 0 { return }
    }
  }

  /// Sends the last items, and signals the other side that no more follow.
  func finishWriting() throws {
    try sendItems()
    shutdown(descriptor, Int32(SHUT_WR))
  }
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
