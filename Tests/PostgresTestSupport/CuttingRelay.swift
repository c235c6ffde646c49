#if os(Linux)
import Foundation
import Glibc
import Synchronization

/// A relay in front of a PostgreSQL server that loses connections when they commit.
///
/// Any thread may call.
package final class CuttingRelay: Sendable {
  /// The treatment of the next COMMIT.
  package enum Cut: Sendable {
    /// The server never sees it.
    case request
    /// The server carries it out, and nobody hears.
    case answer
  }

  /// The directory of the relay's socket.
  package let directory: String
  private let target: String
  private let listener: Int32
  private let cut = Mutex<Cut?>(nil)
  private let cuts = Atomic<Int>(0)

  /// True if COMMITs are those of groups of an engine that shares its store, which notify others.
  private let isShared: Bool

  /// Relays to the server with a socket in that directory.
  package init(to server: String, isShared: Bool = false) throws {
    self.isShared = isShared
    target = server + "/" + PostgresServer.socketName
    directory = NSTemporaryDirectory() + "brasa-relay-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    listener = try Self.makeSocket(directory + "/" + PostgresServer.socketName) { bind($0, $1, $2) }
    guard listen(listener, 64) == 0 else { throw PostgresServer.Failure(text: "no listener") }
    let listener = self.listener
    Thread.detachNewThread { [weak self] in
      while case let client = accept(listener, nil, nil), client >= 0 {
        guard let self else { return }
        relay(client)
      }
    }
  }

  /// Loses the connection of the next COMMIT.
  package func cutNextCommit(_ what: Cut) { cut.withLock { $0 = what } }

  /// The number of connections lost in this way.
  package var cutCount: Int { cuts.load(ordering: .sequentiallyConsistent) }

  /// Ends the relay; connections that are open go on.
  package func end() {
    shutdown(listener, Int32(SHUT_RDWR))
    close(listener)
    try? FileManager.default.removeItem(atPath: directory)
  }

  private func relay(_ client: Int32) {
    guard let server = try? Self.makeSocket(target, { connect($0, $1, $2) }) else {
      close(client)
      return
    }
    let connection = Connection(client: client, server: server)
    Thread.detachNewThread { [self] in
      pass(from: client, to: server, connection) { bytes in
        guard isCommit(bytes), let cut = takeCut() else { return true }
        if cut == .answer { connection.isMute.store(true, ordering: .sequentiallyConsistent) }
        return cut == .answer
      }
    }
    Thread.detachNewThread { [self] in
      // The server has carried a COMMIT out when it answers.
      pass(from: server, to: client, connection) { _ in
        !connection.isMute.load(ordering: .sequentiallyConsistent)
      }
    }
  }

  private func takeCut() -> Cut? {
    cut.withLock { cut in
      defer { cut = nil }
      if cut != nil { cuts.add(1, ordering: .sequentiallyConsistent) }
      return cut
    }
  }

  /// Passes what is read on until somebody closes, or `isPassed` says that the connection is to be lost.
  private func pass(
    from source: Int32,
    to target: Int32,
    _ connection: Connection,
    isPassed: (ArraySlice<UInt8>) -> Bool
  ) {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case let count = read(source, &buffer, buffer.count), count > 0 {
      guard isPassed(buffer[..<count]) else { break }
      var sent = 0
      while sent < count {
        let written = buffer[sent..<count].withUnsafeBytes {
          send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard written > 0 else { return connection.end() }
        sent += written
      }
    }
    connection.end()
  }

  /// A simple query of a COMMIT: the kind, four bytes of length, the text, a zero.
  private func isCommit(_ bytes: ArraySlice<UInt8>) -> Bool {
    let text = String(decoding: bytes.dropFirst(5).dropLast(), as: UTF8.self)
    let isWanted =
      isShared ? text.hasPrefix("NOTIFY ") && text.hasSuffix("; COMMIT") : text == "COMMIT"
    return bytes.first == UInt8(ascii: "Q") && isWanted
  }

  private static func makeSocket(
    _ path: String,
    _ use: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws -> Int32 {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { use(descriptor, $0, size) }
    }
    guard result == 0 else {
      close(descriptor)
      throw PostgresServer.Failure(text: "no socket at \(path)")
    }
    return descriptor
  }

  /// Two sockets that end together.
  private final class Connection: Sendable {
    private let client: Int32
    private let server: Int32
    /// The number of the two directions that have ended.
    private let ended = Atomic<Int>(0)
    /// True if nothing that the server sends is passed on.
    let isMute = Atomic(false)

    init(client: Int32, server: Int32) {
      self.client = client
      self.server = server
    }

    /// One direction has ended, so must the other.
    func end() {
      for descriptor in [client, server] { shutdown(descriptor, Int32(SHUT_RDWR)) }
      guard ended.add(1, ordering: .sequentiallyConsistent).newValue == 2 else { return }
      for descriptor in [client, server] { close(descriptor) }
    }
  }
}
#endif
