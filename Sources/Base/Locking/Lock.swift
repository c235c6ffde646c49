/// A value and the lock that guards it.
///
/// It is `Synchronization`'s `Mutex` for the systems before iOS 18: the same `withLock`, on an
/// `os_unfair_lock` of Apple's systems and on a mutex of POSIX elsewhere. Copies share the value. The
/// lock is not recursive: `withLock` inside of `withLock` waits forever. May be used from any thread.
///
/// It is public, as other modules' calls are specialised for public declarations alone; no product offers it.
public struct Lock<Value>: @unchecked Sendable {
  // Sendable, as the value comes in as `sending` and only the thread that has the lock reaches it.
  /// The value and the system's lock.
  public let buffer: LockBuffer<Value>

  /// Guards a value without other owners.
  @inlinable
  public init(_ value: consuming sending Value) {
    buffer = LockBuffer<Value>.make(value)
  }

  /// Runs a body that alone reads and writes the value.
  @inlinable
  public func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    nonisolated(unsafe) let (value, system) = buffer.withUnsafeMutablePointers { ($0, $1) }
    defer { withExtendedLifetime(buffer) {} }
    system.lock()
    defer { system.unlock() }
    return try body(&value.pointee)
  }
}
