#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The result of a comparison in one of Firestore's total orders.
@usableFromInline
package enum Ordering: Int, Sendable {
  case ascending = -1
  case equal = 0
  case descending = 1

  /// The order seen from the other side.
  @inlinable
  package var reversed: Ordering {
    switch self {
    case .ascending: .descending
    case .equal: .equal
    case .descending: .ascending
    }
  }

  /// This order, or the next criterion's where this one finds no difference.
  @inlinable
  package func or(_ next: @autoclosure () -> Ordering) -> Ordering {
    self == .equal ? next() : self
  }

  /// Compares two values of a type with an order of its own.
  @inlinable
  package init<T: Comparable>(_ left: T, _ right: T) {
    self = left < right ? .ascending : (right < left ? .descending : .equal)
  }
}

/// Compares as `memcmp` does, a prefix before what it begins.
@inlinable
package func compareBytes(
  _ left: UnsafeRawBufferPointer,
  _ right: UnsafeRawBufferPointer
) -> Ordering {
  let common = min(left.count, right.count)
  if common > 0, let first = left.baseAddress, let second = right.baseAddress {
    let result = memcmp(first, second, common)
    if result != 0 { return result < 0 ? .ascending : .descending }
  }
  return Ordering(left.count, right.count)
}
