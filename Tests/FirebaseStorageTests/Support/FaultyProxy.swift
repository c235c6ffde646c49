import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#endif

/// A way to a server on this machine that breaks where tests want it to.
///
/// Connections take the faults in the order in which they are opened; those after the last fault have none.
final class FaultyProxy: Sendable {
  /// What happens to a connection.
  enum Fault: Sendable {
    /// It ends when the client has sent so many bytes.
    case cutSending(after: Int)
    /// It ends when the server has sent so many bytes.
    case cutAnswer(after: Int)
    /// It ends instead of the first answer that comes after so many bytes of the client.
    case loseAnswer(after: Int)
    /// Nothing goes on after so many bytes of the client until ``FaultyProxy/release()``.
    case holdSending(after: Int)
  }

  private struct SocketFailure: Error {
    let number = errno
  }

  private struct State {
    var faults: [Fault]
    var sent = 0
    var connections = 0
  }

  let port: Int
  private let target: Int
  private let listener: Int32
  private let state: Mutex<State>
  private let released = DispatchSemaphore(value: 0)

  /// A proxy to a port, with the connections' faults.
  init(to target: Int, faults: [Fault]) throws {
    self.target = target
    state = Mutex(State(faults: faults))
    (listener, port) = try Self.listen()
    Thread.detachNewThread { [self] in accept() }
  }

  /// The bytes that clients have sent.
  var sentBytes: Int { state.withLock { $0.sent } }
  /// The connections that clients have opened.
  var connections: Int { state.withLock { $0.connections } }

  /// Lets what is held go on.
  func release() { released.signal() }

  /// Takes no further connections.
  func close() { shutdown(listener, Int32(SHUT_RDWR)) }

  /// A socket that listens on a port of the system's choice.
  private static func listen() throws -> (socket: Int32, port: Int) {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = address(port: 0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0 && Glibc.listen(listener, 64) == 0
          && getsockname(listener, address, &size) == 0
      }
    }
    guard bound else { throw SocketFailure() }
    return (listener, Int(UInt16(bigEndian: address.sin_port)))
  }

  private static func address(port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }

  private func accept() {
    while true {
      let client = Glibc.accept(listener, nil, nil)
      guard client >= 0 else { break }
      let fault = state.withLock { state in
        state.connections += 1
        return state.faults.isEmpty ? nil : state.faults.removeFirst()
      }
      guard let server = connect() else {
        _ = Glibc.close(client)
        continue
      }
      Pair(client: client, server: server, fault: fault, proxy: self).start()
    }
    _ = Glibc.close(listener)
  }

  private func connect() -> Int32? {
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = Self.address(port: target)
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let failed = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(server, $0, size) }
    }
    return failed == 0 ? server : nil
  }

  /// Two connections whose bytes go from one to the other.
  private final class Pair: Sendable {
    let client: Int32
    let server: Int32
    let fault: Fault?
    let proxy: FaultyProxy
    private let counts = Mutex((sent: 0, answered: 0, running: 2))

    init(client: Int32, server: Int32, fault: Fault?, proxy: FaultyProxy) {
      (self.client, self.server, self.fault, self.proxy) = (client, server, fault, proxy)
    }

    func start() {
      Thread.detachNewThread { [self] in
        pump(from: client, to: server) { [self] in allowSending($0) }
      }
      Thread.detachNewThread { [self] in
        pump(from: server, to: client) { [self] in allowAnswering($0) }
      }
    }

    /// Copies until the connection or what is allowed ends.
    private func pump(from source: Int32, to sink: Int32, _ allow: (Int) -> Int) {
      var buffer = [UInt8](repeating: 0, count: 16_384)
      while true {
        let count = recv(source, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        let allowed = allow(count)
        var written = 0
        while written < allowed {
          let now = buffer.withUnsafeBytes { bytes in
            send(
              sink,
              bytes.baseAddress?.advanced(by: written),
              allowed - written,
              Int32(MSG_NOSIGNAL)
            )
          }
          guard now > 0 else { return end() }
          written += now
        }
        if allowed < count { break }
      }
      end()
    }

    /// Ends both connections, and closes them when both directions are through.
    private func end() {
      shutdown(client, Int32(SHUT_RDWR))
      shutdown(server, Int32(SHUT_RDWR))
      let isLast = counts.withLock { counts in
        counts.running -= 1
        return counts.running == 0
      }
      guard isLast else { return }
      _ = Glibc.close(client)
      _ = Glibc.close(server)
    }

    private func allowSending(_ count: Int) -> Int {
      proxy.state.withLock { $0.sent += count }
      let before = counts.withLock { counts in
        defer { counts.sent += count }
        return counts.sent
      }
      switch fault {
      case .cutSending(let limit): return min(count, max(limit - before, 0))
      case .holdSending(let limit):
        if before <= limit, before + count > limit { proxy.released.wait() }
        return count
      case .cutAnswer, .loseAnswer, nil: return count
      }
    }

    private func allowAnswering(_ count: Int) -> Int {
      let (before, sent) = counts.withLock { counts in
        defer { counts.answered += count }
        return (counts.answered, counts.sent)
      }
      switch fault {
      case .cutAnswer(let limit): return min(count, max(limit - before, 0))
      case .loseAnswer(let limit): return sent > limit ? 0 : count
      case .cutSending, .holdSending, nil: return count
      }
    }
  }
}
