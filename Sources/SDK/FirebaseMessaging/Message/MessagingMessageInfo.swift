import Foundation

/// The status of a message: new, or delivered before.
public enum MessagingMessageStatus: Int, Sendable {
  /// It is none of Firebase's, or it was handed over before.
  case unknown = 0
  /// It is new.
  case new = 1
}

/// The facts about a message that the app has passed to the SDK.
public final class MessagingMessageInfo: NSObject, Sendable {
  /// The status of the message.
  public let status: MessagingMessageStatus

  init(_ status: MessagingMessageStatus) { self.status = status }
}
