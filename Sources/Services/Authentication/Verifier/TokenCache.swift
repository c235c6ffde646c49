import BaseText
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Bearer tokens that verified, so that a token costs its signature once.
///
/// A token is found by its last bytes, a part of its signature, and compared whole. Only tokens that
/// verified are kept; whether one is still valid is for the caller to check. Two generations bound the memory: when
/// the young one is full it becomes the old one, and what was not used since goes.
final class TokenCache: Sendable {
  private struct Tail: Hashable {
    let high: UInt64
    let low: UInt64

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
      guard bytes.count >= 16, let base = bytes.baseAddress else {
        (high, low) = (UInt64(bytes.count), 0)
        return
      }
      let raw = UnsafeRawPointer(base)
      high = raw.loadUnaligned(fromByteOffset: bytes.count - 16, as: UInt64.self)
      low = raw.loadUnaligned(fromByteOffset: bytes.count - 8, as: UInt64.self)
    }
  }

  struct Entry: Sendable {
    let token: Text
    let bearer: Bearer
    /// Seconds since 1970.
    let expiry: Int64
    /// The service account's key that it ends with.
    let keyID: String?
    /// True if one of our signing keys signed it.
    let isOurs: Bool
  }

  private struct State {
    var young: [Tail: Entry] = [:]
    var old: [Tail: Entry] = [:]
  }

  private let state = Mutex(State())
  private let capacity: Int

  /// Keeps up to twice `capacity` tokens.
  init(capacity: Int = 20_000) { self.capacity = capacity }

  func entry(_ token: Substring) -> Entry? {
    token.utf8.withContiguousStorageIfAvailable { bytes -> Entry? in
      let tail = Tail(bytes)
      let found = state.withLock { state -> Entry? in
        if let entry = state.young[tail] { return entry }
        guard let entry = state.old[tail] else { return nil }
        state.young[tail] = entry
        return entry
      }
      guard let found, found.token.withBytes({ Self.areEqual($0, bytes) }) else { return nil }
      return found
    } ?? nil
  }

  /// Keeps an entry.
  func insert(_ entry: Entry) {
    let tail = entry.token.withBytes { Tail($0.bindMemory(to: UInt8.self)) }
    state.withLock { state in
      if state.young.count >= capacity {
        state.old = state.young
        state.young = [:]
      }
      state.young[tail] = entry
    }
  }

  private static func areEqual(
    _ left: UnsafeRawBufferPointer,
    _ right: UnsafeBufferPointer<UInt8>
  ) -> Bool {
    guard left.count == right.count, let a = left.baseAddress, let b = right.baseAddress else {
      return false
    }
    return memcmp(a, b, left.count) == 0
  }
}
