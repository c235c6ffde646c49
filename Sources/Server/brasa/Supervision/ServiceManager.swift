#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The service manager that started the program, reached as systemd's `sd_notify` does it.
///
/// `NOTIFY_SOCKET` names a datagram socket of the file system, or with `@` in front an abstract one. A message is lines
/// of `NAME=value`; each is sent in a datagram of its own, and nothing is ever read.
struct ServiceManager: Sendable {
  /// A status for the manager.
  enum Notice: Sendable, Equatable {
    /// The port takes connections.
    case ready
    /// The server has begun to stop.
    case stopping
    /// The server turned its event loops and read its store since the last notice of this kind.
    case watchdog
    /// A line for people.
    case status(String)

    fileprivate var text: String {
      switch self {
      case .ready: "READY=1"
      case .stopping: "STOPPING=1"
      case .watchdog: "WATCHDOG=1"
      case .status(let line):
        "STATUS=" + String(line.map { $0.isNewline ? " " : $0 })
      }
    }
  }

  private let address: [UInt8]
  /// The time within which the manager wants a sign of life; nil where it wants none.
  let watchdog: Duration?

  /// The manager that the environment names; nil where it names none.
  ///
  /// - Parameter process: The id of this process: a watchdog for another one is not ours.
  init?(_ environment: [String: String], process: Int32 = getpid()) {
    guard let name = environment["NOTIFY_SOCKET"], name.hasPrefix("/") || name.hasPrefix("@"),
      name.utf8.count > 1
    else { return nil }
    address = Array(name.utf8)
    let owner = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
    let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
    watchdog = owner && microseconds > 0 ? .microseconds(microseconds) : nil
  }

  /// Sends the notice, waiting at most five seconds for a manager that reads slowly; a failure is ignored, since
  /// the manager then does what it does about programs that say nothing.
  func tell(_ notice: Notice) {
    #if canImport(Glibc)
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let flags = Int32(MSG_NOSIGNAL)
    #else
    let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
    let flags: Int32 = 0
    #endif
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var limit = timeval(tv_sec: 5, tv_usec: 0)
    setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_SNDTIMEO,
      &limit,
      socklen_t(MemoryLayout<timeval>.size)
    )
    let bytes = Array(notice.text.utf8)
    withSocketAddress { pointer, length in
      while sendto(descriptor, bytes, bytes.count, flags, pointer, length) < 0, errno == EINTR {}
    }
  }

  /// Lends the socket's address; an abstract one begins with a zero byte and has no byte after its name.
  private func withSocketAddress(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Void) {
    var made = sockaddr_un()
    made.sun_family = sa_family_t(AF_UNIX)
    guard address.count < MemoryLayout.size(ofValue: made.sun_path) else { return }
    withUnsafeMutableBytes(of: &made.sun_path) { path in
      path.copyBytes(from: address)
      if address[0] == UInt8(ascii: "@") { path[0] = 0 }
    }
    let start = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
    let length = address[0] == UInt8(ascii: "@") ? start + address.count : start + address.count + 1
    withUnsafePointer(to: &made) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(length)) }
    }
  }
}
