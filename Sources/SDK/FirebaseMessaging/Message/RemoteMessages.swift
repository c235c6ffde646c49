/// The messages of an app as they come by the direct stream.
public struct RemoteMessages: AsyncSequence, Sendable {
  /// One message.
  public typealias Element = RemoteMessage

  /// As many as the server keeps for a device.
  private static let limit = 100

  let messaging: Messaging

  /// Begins to wait for messages.
  public func makeAsyncIterator() -> AsyncStream<RemoteMessage>.Iterator {
    let (stream, continuation) = AsyncStream.makeStream(
      of: RemoteMessage.self,
      bufferingPolicy: .bufferingNewest(Self.limit)
    )
    messaging.add(continuation)
    return stream.makeAsyncIterator()
  }
}
