import Access
import BaseStatus
import Synchronization

/// A few messages that are already encoded.
final class MessageStream: ResponseStream {
  private let messages: Mutex<[[UInt8]]>

  init(_ messages: [[UInt8]]) { self.messages = Mutex(messages) }

  func next(
    maxBytes: Int,
    respond: @escaping @Sendable (Result<[[UInt8]], ServiceError>) -> Void
  ) {
    let taken = messages.withLock { messages in
      defer { messages = [] }
      return messages
    }
    respond(.success(taken))
  }
}
