#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Android)
import Android
#endif

#if canImport(Darwin)
/// The lock of the system, which stays at its address from `start` to `end`.
///
/// It is reached by its address alone: a `mutating` method would claim it for one thread.
public typealias SystemLock = os_unfair_lock
#else
/// The lock of the system, which stays at its address from `start` to `end`.
///
/// It is reached by its address alone: a `mutating` method would claim it for one thread.
public typealias SystemLock = pthread_mutex_t
#endif

#if canImport(Darwin)
extension UnsafeMutablePointer<os_unfair_lock> {
  /// Makes it ready to be taken.
  @inlinable
  public func start() { initialize(to: os_unfair_lock()) }

  /// Waits until it is free, and takes it.
  @inlinable
  public func lock() { os_unfair_lock_lock(self) }

  /// Gives it back.
  @inlinable
  public func unlock() { os_unfair_lock_unlock(self) }

  /// Gives its memory back.
  @inlinable
  public func end() { deinitialize(count: 1) }
}
#else
extension UnsafeMutablePointer<pthread_mutex_t> {
  /// Makes it ready to be taken.
  @inlinable
  public func start() {
    initialize(to: pthread_mutex_t())
    Self.check(pthread_mutex_init(self, nil))
  }

  /// Waits until it is free, and takes it.
  @inlinable
  public func lock() { Self.check(pthread_mutex_lock(self)) }

  /// Gives it back.
  @inlinable
  public func unlock() { Self.check(pthread_mutex_unlock(self)) }

  /// Gives its memory back.
  @inlinable
  public func end() {
    Self.check(pthread_mutex_destroy(self))
    deinitialize(count: 1)
  }

  /// Traps on an error, which only a broken program gets.
  @inlinable
  public static func check(_ code: Int32) {
    precondition(code == 0, "The system's lock failed.")
  }
}
#endif
