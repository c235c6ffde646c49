#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A file descriptor that is kept open for the moment in which there is no other.
struct SpareDescriptor: ~Copyable {
  private var descriptor: CInt

  /// Takes one now, if there is one.
  init() { descriptor = Self.take() }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Runs `body` with the descriptor given back, then takes it, or a later call does.
  mutating func lend(_ body: () -> Void) {
    if descriptor >= 0 { close(descriptor) }
    body()
    descriptor = Self.take()
  }

  private static func take() -> CInt { open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
