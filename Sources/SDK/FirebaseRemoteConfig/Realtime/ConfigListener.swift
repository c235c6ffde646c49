import Foundation

/// The values that an update would change.
public final class RemoteConfigUpdate: NSObject, Sendable {
  /// The keys whose values are other after an activation.
  public let updatedKeys: Set<String>

  init(_ keys: Set<String>) { updatedKeys = keys }
}

/// A listener to updates.
///
/// Unchecked: apps' callbacks are not marked `@Sendable`. This one is never called but on the queue of callbacks,
/// which is serial.
struct ConfigListener: @unchecked Sendable {
  let call: (RemoteConfigUpdate?, (any Error)?) -> Void
}

/// A listener that can be removed.
public final class ConfigUpdateListenerRegistration: NSObject, Sendable {
  private let removal: @Sendable () -> Void

  init(_ removal: @escaping @Sendable () -> Void) { self.removal = removal }

  /// Calls the listener no more.
  public func remove() { removal() }
}

/// The updates of an app's parameters, as they come; ends with the error that ends them.
public struct RemoteConfigUpdates: AsyncSequence, Sendable {
  /// One update.
  public typealias Element = RemoteConfigUpdate

  let config: RemoteConfig

  /// Begins to listen.
  public func makeAsyncIterator() -> AsyncThrowingStream<RemoteConfigUpdate, any Error>.Iterator {
    // Updates name the keys that differ from what the app sees: the newest one says all.
    let (stream, continuation) = AsyncThrowingStream.makeStream(
      of: RemoteConfigUpdate.self,
      bufferingPolicy: .bufferingNewest(1)
    )
    let registration = config.listen(onQueue: false) { update, error in
      if let update { continuation.yield(update) } else { continuation.finish(throwing: error) }
    }
    continuation.onTermination = { _ in registration.remove() }
    return stream.makeAsyncIterator()
  }
}
