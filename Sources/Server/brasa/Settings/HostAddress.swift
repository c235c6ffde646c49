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

  /// Throws where no address has that name.
  static func check(_ host: String, port: Int) throws {
    do {
      _ = try SocketAddress.makeAddressResolvingHost(host, port: port)
    } catch {
      throw ValidationError(
        """
        Can't listen on \(host): no address has this name. Give --host an address of this machine, such as 127.0.0.1, \
        or 0.0.0.0 for all of them.
        """
      )
    }
  }

  /// The sentence for an error of the port; any other error as it is.
  static func failure(_ error: any Error, host: String, port: Int) -> any Error {
    switch (error as? IOError)?.errnoCode {
    case EADDRINUSE:
      ValidationError(
        """
        Port \(port) is already in use. Stop the other program, or choose another port: brasa serve --port \(port + 1)
        """
      )
    case EADDRNOTAVAIL:
      ValidationError(
        """
        Can't listen on \(host): this machine has no such address. Give --host one that it has, such as 127.0.0.1.
        """
      )
    case EACCES:
      ValidationError("This user may not listen on port \(port). Choose a port above 1023.")
    default: error
    }
  }
}
