import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A way to a port of this machine that breaks connections where tests want it to.
///
/// A broken connection is reset on both sides; what was under way is lost. A thread a connection.
package final class CuttingProxy: Sendable {
  /// The fault of a connection.
  package enum Fault: Sendable {
    /// It breaks after so many bytes, in both directions together.
    case cut(after: Int)
    /// It breaks when the client has sent so many bytes.
    case cutSending(after: Int)
    /// It breaks when the server has sent so many bytes.
    case cutAnswer(after: Int)
    /// It breaks instead of the first response that comes after so many bytes of the client.
    case loseAnswer(after: Int)
    /// Nothing goes on after so many bytes of the client until ``CuttingProxy/release()``.
    case holdSending(after: Int)
  }

  private struct State {
    var accepted = 0
    var cuts = 0
    var sent = 0
    var sockets: Set<Int32> = []
    var isStopped = false
  }

  /// The socket could not be made.
  package struct Failure: Error {
    let call: String
    let number: Int32
  }

  /// The port on which it listens.
  package let port: Int
  private let listener: Int32
  private let target: Int
  private let fault: @Sendable (Int) -> Fault?
  private let state = Mutex(State())
  private let released = DispatchSemaphore(value: 0)

  /// A proxy to a port; `fault` says what happens to a connection, by its number from zero.
  private init(to target: Int, fault: @escaping @Sendable (Int) -> Fault?) throws {
    self.target = target
    self.fault = fault
    (listener, port) = try Self.listen()
    Thread.detachNewThread { [self] in acceptAll() }
  }

  /// A proxy to a port.
  ///
  /// `bound` says after how many bytes a connection breaks, by its number from zero; nil is never.
  package convenience init(to target: Int, bound: @escaping @Sendable (Int) -> Int?) throws {
    try self.init(to: target, fault: { bound($0).map { .cut(after: $0) } })
  }

  /// A proxy to a port with the faults of its first connections; those behind them have none.
  package convenience init(to target: Int, faults: [Fault]) throws {
    try self.init(to: target, fault: { $0 < faults.count ? faults[$0] : nil })
  }

  /// The bytes that clients have sent.
  package var sentBytes: Int { state.withLock { $0.sent } }

  /// The connections that clients have opened.
  package var connectionCount: Int { state.withLock { $0.accepted } }

  /// Lets what is held go on.
  package func release() { released.signal() }

  /// The number of connections that were broken.
  package var cutCount: Int { state.withLock { $0.cuts } }

  /// Breaks all connections and takes no more.
  package func stop() {
    state.withLock { state in
      state.isStopped = true
      for socket in state.sockets { _ = shutdown(socket, Int32(SHUT_RDWR)) }
    }
    _ = shutdown(listener, Int32(SHUT_RDWR))
  }

  // MARK: Connections

  private func acceptAll() {
    while true {
      let client = accept(listener, nil, nil)
      if client < 0 {
        if errno == EINTR || errno == ECONNABORTED { continue }
        break
      }
      let number = state.withLock { state in
        defer { state.accepted += 1 }
        return state.accepted
      }
      begin(client, number)
    }
    _ = close(listener)
  }

  private func begin(_ client: Int32, _ number: Int) {
    guard let server = Self.connect(to: target) else {
      _ = close(client)
      return
    }
    let isWanted = state.withLock { state in
      if state.isStopped { return false }
      state.sockets.formUnion([client, server])
      return true
    }
    guard isWanted else {
      _ = close(client)
      _ = close(server)
      return
    }
    let link = Link(client: client, server: server)
    let fault = fault(number)
    Thread.detachNewThread { [self] in
      carry(link, fault)
      state.withLock { $0.sockets.subtract([client, server]) }
      _ = close(client)
      _ = close(server)
    }
  }

  /// Carries bytes both ways until a side ends or the fault breaks the connection.
  private func carry(_ link: Link, _ fault: Fault?) {
    var meter = FaultMeter(fault)
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while let (source, sink) = link.nextReadable() {
      let count = read(source, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      let isSent = source == link.client
      if isSent { state.withLock { $0.sent += count } }
      if meter.holds(count, isSent: isSent) { released.wait() }
      let allowed = meter.allow(count, isSent: isSent)
      guard Self.write(buffer[..<allowed], to: sink) else { return }
      guard allowed == count else {
        state.withLock { $0.cuts += 1 }
        Self.resetOnClose(link.client)
        Self.resetOnClose(link.server)
        return
      }
    }
  }

  // MARK: Sockets

  static func listen() throws -> (socket: Int32, port: Int) {
    let socket = newSocket()
    guard socket >= 0 else { throw Failure(call: "socket", number: errno) }
    var address = loopback(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(socket, pointer, length) == 0 && listenOn(socket) == 0
          && getsockname(socket, pointer, &length) == 0
      }
    }
    guard result else { throw Failure(call: "listen", number: errno) }
    return (socket, Int(UInt16(bigEndian: address.sin_port)))
  }

  private static func listenOn(_ socket: Int32) -> Int32 {
    #if canImport(Glibc)
    Glibc.listen(socket, 64)
    #elseif canImport(Musl)
    Musl.listen(socket, 64)
    #else
    Darwin.listen(socket, 64)
    #endif
  }

  private static func connect(to port: Int) -> Int32? {
    let socket = newSocket()
    guard socket >= 0 else { return nil }
    var address = loopback(port: port)
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        #if canImport(Glibc)
        Glibc.connect(socket, pointer, length)
        #elseif canImport(Musl)
        Musl.connect(socket, pointer, length)
        #else
        Darwin.connect(socket, pointer, length)
        #endif
      }
    }
    if result == 0 { return socket }
    _ = close(socket)
    return nil
  }

  private static func newSocket() -> Int32 {
    #if canImport(Glibc)
    socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
    socket(AF_INET, SOCK_STREAM, 0)
    #endif
  }

  private static func loopback(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
    return address
  }

  private static func resetOnClose(_ socket: Int32) {
    var option = linger(l_onoff: 1, l_linger: 0)
    _ = setsockopt(
      socket,
      SOL_SOCKET,
      SO_LINGER,
      &option,
      socklen_t(MemoryLayout<linger>.size)
    )
  }

  static func write(_ bytes: ArraySlice<UInt8>, to socket: Int32) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      while !rest.isEmpty {
        let part = UnsafeRawBufferPointer(rebasing: rest)
        let count = send(socket, part.baseAddress, part.count, flags)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        rest = rest.dropFirst(count)
      }
      return true
    }
  }

  /// Without a signal where the other side is gone.
  private static var flags: Int32 {
    #if canImport(Darwin)
    0
    #else
    Int32(MSG_NOSIGNAL)
    #endif
  }
}

/// The bytes of one connection that a fault lets through.
private struct FaultMeter {
  private let fault: CuttingProxy.Fault?
  private var sent = 0
  private var answered = 0

  init(_ fault: CuttingProxy.Fault?) { self.fault = fault }

  /// Returns true if the next bytes are held first.
  func holds(_ count: Int, isSent: Bool) -> Bool {
    guard isSent, case .holdSending(let limit) = fault else { return false }
    return sent <= limit && sent + count > limit
  }

  /// Returns the number of the next bytes that go on; fewer than all is the end.
  mutating func allow(_ count: Int, isSent: Bool) -> Int {
    defer { if isSent { sent += count } else { answered += count } }
    return switch fault {
    case .cut(let limit): min(count, max(limit - sent - answered, 0))
    case .cutSending(let limit) where isSent: min(count, max(limit - sent, 0))
    case .cutAnswer(let limit) where !isSent: min(count, max(limit - answered, 0))
    case .loseAnswer(let limit) where !isSent: sent > limit ? 0 : count
    case .cutSending, .cutAnswer, .loseAnswer, .holdSending, nil: count
    }
  }
}

/// The two sockets of a connection.
private struct Link: Sendable {
  let client: Int32
  let server: Int32

  /// Waits until a side has bytes or has ended; nil where that cannot be told.
  func nextReadable() -> (source: Int32, sink: Int32)? {
    var waits = [
      pollfd(fd: client, events: Int16(POLLIN), revents: 0),
      pollfd(fd: server, events: Int16(POLLIN), revents: 0),
    ]
    while true {
      let count = poll(&waits, 2, -1)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      return waits[0].revents != 0 ? (client, server) : (server, client)
    }
  }
}
