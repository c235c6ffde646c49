/// The allocation of a lock: the value as its header, the system's lock as its only element.
///
/// Both need an address that does not change, which a stored property does not have.
public final class LockBuffer<Value>: ManagedBuffer<Value, SystemLock> {
  /// Allocates both; the system's lock is ready to be taken.
  @inlinable
  public static func make(_ value: consuming Value) -> LockBuffer<Value> {
    var value = Optional(value)
    let buffer = create(minimumCapacity: 1) { _ in
      guard let value = value.take() else { preconditionFailure("A buffer has one header.") }
      return value
    }
    buffer.withUnsafeMutablePointerToElements { $0.start() }
    return unsafeDowncast(buffer, to: LockBuffer<Value>.self)
  }

  @inlinable
  deinit { withUnsafeMutablePointerToElements { $0.end() } }
}
