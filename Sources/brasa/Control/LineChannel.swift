#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Lines of UTF-8 over a stream socket, read and written with blocking calls by one thread.
final class LineChannel {
  /// The longest line that is read: a document of 1 MiB grows sixfold at most as JSON.
  static let longestLine = 16 * 1024 * 1024

  private let descriptor: CInt
  private var buffer: [UInt8] = []
  private var start = 0

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

  /// Reads more bytes behind what is left; false at the end of the stream.
  private func fill(_ searched: inout Int) throws -> Bool {
    if start > 0 {
      buffer.removeFirst(start)
      searched -= start
      start = 0
    }
    let old = buffer.count
    let room = 64 * 1024
    buffer.append(contentsOf: repeatElement(0, count: room))
    while true {
      let count = buffer.withUnsafeMutableBytes { bytes in
        read(descriptor, bytes.baseAddress.map { $0 + old }, room)
      }
      if count < 0, errno == EINTR { continue }
      buffer.removeLast(room - max(count, 0))
      guard count >= 0 else { throw ControlError.system("read", errno) }
      return count > 0
    }
  }

  /// Writes the line and its end.
  func writeLine(_ line: String) throws {
    var bytes = Array(line.utf8)
    bytes.append(0x0A)
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes { pointer in
        pointer.baseAddress.map { sendQuietly(descriptor, $0 + sent, bytes.count - sent) } ?? 0
      }
      if count < 0 {
        if errno == EINTR { continue }
        throw ControlError.system("write", errno)
      }
      sent += count
    }
  }

  /// Tells the other side that no more lines come.
  func finishWriting() { shutdown(descriptor, Int32(SHUT_WR)) }
}

/// Sends without raising SIGPIPE when the other side is gone.
private func sendQuietly(_ descriptor: CInt, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  #if canImport(Darwin)
  return send(descriptor, bytes, count, 0)
  #else
  return send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
  #endif
}

/// What can go wrong on the control socket.
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
