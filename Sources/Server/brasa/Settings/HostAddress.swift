import ArgumentParser
import NIOCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The address that `brasa serve` listens on, from `--host` or `BRASA_LISTEN`.
///
/// `BRASA_HOST` is another thing: the address at which apps reach a server, which the SDK reads.
enum HostAddress {
  /// Reads the address; refuses a `BRASA_HOST` that was meant for it.
  static func read(_ flag: String?, _ environment: EnvironmentReader) throws -> String {
    if let address = flag ?? environment.text("LISTEN") { return address }
    if let host = environment.text("HOST"), !isForApps(host) {
      throw ValidationError(
        """
        BRASA_HOST is the address at which apps reach a server, such as localhost:8080. To listen on \(host), say \
        --host \(host) or set BRASA_LISTEN.
        """
      )
    }
    return "127.0.0.1"
  }

  /// True if a value has a port or a scheme, which an address to listen on has not.
  private static func isForApps(_ host: String) -> Bool {
    host.contains("://") || host.hasPrefix("[") || host.count { $0 == ":" } == 1
  }

  /// Throws where the server cannot listen on an address and port now; nothing keeps listening there.
  ///
  /// - Parameter option: The option that names the port.
  static func check(_ host: String, port: Int, option: String = "--port") throws {
    let address: SocketAddress
    do {
      address = try SocketAddress.makeAddressResolvingHost(host, port: port)
    } catch {
      throw CommandFailure(
        """
        Can't listen on \(host): no address has this name. Give --host an address of this machine, such as 127.0.0.1, \
        or 0.0.0.0 for all of them.
        """
      )
    }
    let error = bindError(address)
    if error != 0 { throw failure(error, host: host, port: port, option: option) }
  }

  /// Binds a socket to the address as a server does and closes it; the error, or 0.
  private static func bindError(_ address: SocketAddress) -> CInt {
    #if canImport(Glibc)
    let stream = CInt(SOCK_STREAM.rawValue)
    #else
    let stream = SOCK_STREAM
    #endif
    let descriptor = socket(CInt(address.protocol.rawValue), stream, 0)
    guard descriptor >= 0 else { return errno }
    defer { close(descriptor) }
    var isReused: CInt = 1
    setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_REUSEADDR,
      &isReused,
      socklen_t(MemoryLayout<CInt>.size)
    )
    return address.withSockAddr { pointer, size in
      guard bind(descriptor, pointer, socklen_t(size)) == 0 else { return errno }
      // Sockets that reuse an address may be bound where another one listens, and not listen.
      return listen(descriptor, 1) == 0 ? 0 : errno
    }
  }

  /// The sentence for an error of the port; any other error as it is.
  static func failure(_ error: any Error, host: String, port: Int) -> any Error {
    guard let number = (error as? IOError)?.errnoCode else { return error }
    return failure(number, host: host, port: port, option: "--port")
  }

  private static func failure(
    _ number: CInt,
    host: String,
    port: Int,
    option: String
  ) -> CommandFailure {
    switch number {
    case EADDRINUSE:
      let example = option == "--port" ? "brasa serve --port \(port + 1)" : option
      return CommandFailure(
        "Port \(port) is already in use. Stop the other program, or choose another port: \(example)"
      )
    case EADDRNOTAVAIL:
      return CommandFailure(
        """
        Can't listen on \(host): this machine has no such address. Give --host one that it has, such as 127.0.0.1.
        """
      )
    case EACCES:
      return CommandFailure("This user may not listen on port \(port). Choose a port above 1023.")
    default:
      return CommandFailure(
        "Can't listen on \(host), port \(port): \(String(cString: strerror(number)))."
      )
    }
  }
}
