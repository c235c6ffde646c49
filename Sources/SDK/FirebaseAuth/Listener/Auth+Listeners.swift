import Foundation

/// The handle that removes a listener for the signed-in user.
public typealias AuthStateDidChangeListenerHandle = NSObjectProtocol
/// The handle that removes a listener for ID tokens.
public typealias IDTokenDidChangeListenerHandle = NSObjectProtocol

// Listeners and streams of changes.

extension Auth {
  /// Calls a listener soon, and after each change of the signed-in user.
  ///
  /// It stays until it is removed.
  @discardableResult
  public func addStateDidChangeListener(
    _ listener: @escaping (Auth, User?) -> Void
  ) -> any AuthStateDidChangeListenerHandle {
    let listener = AuthListener(.user, on: nil, listener)
    add(listener)
    return listener
  }

  /// Removes a listener; it is not called again.
  public func removeStateDidChangeListener(_ listenerHandle: any AuthStateDidChangeListenerHandle) {
    remove(listenerHandle)
  }

  /// Calls a listener soon, and after each change of the ID token or the signed-in user.
  ///
  /// It stays until it is removed.
  @discardableResult
  public func addIDTokenDidChangeListener(
    _ listener: @escaping (Auth, User?) -> Void
  ) -> any IDTokenDidChangeListenerHandle {
    let listener = AuthListener(.token, on: nil, listener)
    add(listener)
    return listener
  }

  /// Removes a listener; it is not called again.
  public func removeIDTokenDidChangeListener(_ listenerHandle: any IDTokenDidChangeListenerHandle) {
    remove(listenerHandle)
  }

  /// The signed-in user: now, and whenever it changes.
  @available(iOS 18, macOS 15, tvOS 18, watchOS 11, *)
  public var authStateChanges: some AsyncSequence<User?, Never> & Sendable { changes(.user) }

  /// The signed-in user: now, and whenever the user or the ID token changes.
  @available(iOS 18, macOS 15, tvOS 18, watchOS 11, *)
  public var idTokenChanges: some AsyncSequence<User?, Never> & Sendable { changes(.token) }

  /// A slow reader misses the oldest of more than sixteen changes, never the newest.
  private func changes(_ subject: AuthListener.Subject) -> AsyncStream<User?> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: User?.self,
      bufferingPolicy: .bufferingNewest(16)
    )
    let listener = AuthListener(subject, on: streamQueue) { continuation.yield($1) }
    continuation.onTermination = { [weak self] _ in self?.remove(listener) }
    add(listener)
    return stream
  }
}
