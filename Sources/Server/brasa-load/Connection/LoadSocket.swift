#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A TCP connection without blocking: what it cannot send at once it keeps.
final class LoadSocket {
  let descriptor: CInt
  private var unsent: [UInt8] = []

  /// Connects to an IPv4 address; only this blocks.
  init(host: String, port: Int) throws {
    #if canImport(Glibc)
    let kind = CInt(SOCK_STREAM.rawValue)
    #else
    let kind = SOCK_STREAM
    #endif
    descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { throw SystemError("socket") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else {
      throw LoadError.cannotConnect("\(host): an IPv4 address is wanted")
    }
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw SystemError("connect to \(host):\(port)") }
    var on: CInt = 1
    setsockopt(
      descriptor,
      CInt(IPPROTO_TCP),
      TCP_NODELAY,
      &on,
      socklen_t(MemoryLayout<CInt>.size)
    )
    guard fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else { throw SystemError("fcntl") }
  }

  deinit { close(descriptor) }

  /// True if something waits for room to be sent.
  var hasUnsent: Bool { !unsent.isEmpty }

  /// Reads the available bytes; 0 when there is nothing now, nil when the connection has ended.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if count > 0 { return count }
    if count < 0, errno == EAGAIN || errno == EINTR { return 0 }
    return nil
  }

  /// Sends or keeps; false when the connection has ended.
  func send(_ bytes: [UInt8]) -> Bool {
    unsent.append(contentsOf: bytes)
    return sendUnsent()
  }

  /// Sends the kept data, as far as there is room; false when the connection has ended.
  func sendUnsent() -> Bool {
    guard hasUnsent else { return true }
    let count = unsent.withUnsafeBytes { bytes in
      sendQuietly(descriptor, bytes)
    }
    if count < 0 { return errno == EAGAIN || errno == EINTR }
    if count == unsent.count {
      unsent.removeAll(keepingCapacity: true)
    } else {
      unsent.removeFirst(count)
    }
    return true
  }

  /// Sends as much of the bytes as there is room for, and says how much; nil when the connection has ended.
  ///
  /// Not while something is kept.
  func sendSome(_ bytes: UnsafeRawBufferPointer) -> Int? {
    let count = sendQuietly(descriptor, bytes)
    if count >= 0 { return count }
    return errno == EAGAIN || errno == EINTR ? 0 : nil
  }

  private func sendQuietly(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
    Glibc.send(descriptor, bytes.baseAddress, bytes.count, CInt(MSG_NOSIGNAL))
    #else
    Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
    #endif
  }
}
