#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The calls on a socket in the file system that the control channel needs.
enum UnixSocket {
  /// The socket's name in a data directory.
  static let fileName = "control.sock"

  /// Connects to the server of that directory; nil when none listens.
  static func connect(directory: String) throws -> CInt? {
    try withAddress(directory) { address, length in
      let descriptor = try makeSocket()
      guard Platform.connect(descriptor, address, length) != 0 else { return descriptor }
      let reason = errno
      close(descriptor)
      if reason == ENOENT || reason == ECONNREFUSED { return nil }
      throw ControlError.system("connect to \(directory)/\(fileName)", reason)
    }
  }

  /// Binds and listens with mode 0600; a socket that a killed server left is replaced.
  static func listen(directory: String) throws -> CInt {
    try withAddress(directory) { address, length in
      unlink("\(directory)/\(fileName)")
      let descriptor = try makeSocket()
      let previous = umask(0o177)
      let bound = Platform.bind(descriptor, address, length)
      let reason = errno
      umask(previous)
      guard bound == 0, Platform.listen(descriptor, 16) == 0 else {
        close(descriptor)
        throw ControlError.system("bind \(directory)/\(fileName)", reason)
      }
      return descriptor
    }
  }

  private static func makeSocket() throws -> CInt {
    #if canImport(Darwin)
    let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
    #else
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #endif
    guard descriptor >= 0 else { throw ControlError.system("socket", errno) }
    #if canImport(Darwin)
    var on: CInt = 1
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<CInt>.size))
    #endif
    return descriptor
  }

  /// Lends the socket's address.
  ///
  /// A directory whose path does not fit is named through its descriptor where that is possible.
  private static func withAddress<R>(
    _ directory: String,
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws -> R
  ) throws -> R {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path)
    var path = "\(directory)/\(fileName)"
    var descriptor: CInt = -1
    defer { if descriptor >= 0 { close(descriptor) } }
    #if canImport(Glibc)
    if path.utf8.count >= room {
      descriptor = open(directory, O_RDONLY | O_DIRECTORY)
      path = "/proc/self/fd/\(descriptor)/\(fileName)"
    }
    #endif
    guard path.utf8.count < room else { throw ControlError.pathTooLong(path) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return try withUnsafePointer(to: &address) { pointer in
      try pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        try body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}

/// The system's functions whose names `UnixSocket`'s own would hide.
private enum Platform {
  static func connect(
    _ descriptor: CInt,
    _ address: UnsafePointer<sockaddr>,
    _ length: socklen_t
  ) -> CInt {
    #if canImport(Darwin)
    Darwin.connect(descriptor, address, length)
    #else
    Glibc.connect(descriptor, address, length)
    #endif
  }

  static func bind(
    _ descriptor: CInt,
    _ address: UnsafePointer<sockaddr>,
    _ length: socklen_t
  ) -> CInt {
    #if canImport(Darwin)
    Darwin.bind(descriptor, address, length)
    #else
    Glibc.bind(descriptor, address, length)
    #endif
  }

  static func listen(_ descriptor: CInt, _ backlog: CInt) -> CInt {
    #if canImport(Darwin)
    Darwin.listen(descriptor, backlog)
    #else
    Glibc.listen(descriptor, backlog)
    #endif
  }
}
