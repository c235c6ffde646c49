import Foundation

/// Whether a message was handed over before.
public enum MessagingMessageStatus: Int, Sendable {
  /// It is none of Firebase's, or it was handed over before.
  case unknown = 0
  /// It is new.
  case new = 1
}

/// What is known of a message that the app has handed over.
public final class MessagingMessageInfo: NSObject, Sendable {
  /// Whether it is new.
  public let status: MessagingMessageStatus

  init(_ status: MessagingMessageStatus) { self.status = status }
}
