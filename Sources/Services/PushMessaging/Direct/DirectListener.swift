/// A message that came into a mailbox.
package struct MailboxArrival: Sendable {
  let mailbox: MailboxID
  /// The message's position in its mailbox: one above that of the message before it, from 1.
  package let sequence: Int64
  /// Nil where the mailbox has to be read for what its client gets.
  let message: StoredMessage?

  /// True if the client gets the messages given here, and nothing has to be read.
  package var isComplete: Bool { message != nil }
}

/// The connection of a client, as the messages that are for it see it.
package protocol DirectListener: AnyObject, Sendable {
  /// A message came into the mailbox and is durable; any thread may call, it does not block.
  func receive(_ arrival: MailboxArrival)
  /// The connection is to end; called once, by any thread.
  func finish()
}

/// A connection whose task only waits to be woken and reads the mailbox then.
package final class WakingListener: DirectListener {
  /// Yields where the mailbox may have something new, and ends with the connection.
  package let wakes: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  /// A connection that nothing came for yet.
  package init() {
    (wakes, continuation) = AsyncStream.makeStream(
      of: Void.self,
      bufferingPolicy: .bufferingNewest(1)
    )
  }

  /// Wakes the task; several arrivals before it runs wake it once.
  package func receive(_ arrival: MailboxArrival) { continuation.yield() }

  /// Ends `wakes`, and with it the task's loop.
  package func finish() { continuation.finish() }
}
