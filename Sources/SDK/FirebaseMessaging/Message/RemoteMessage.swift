import Foundation

/// A message that came by the direct stream.
public struct RemoteMessage: Sendable, Hashable {
  /// The id that the sender got too.
  public let messageID: String
  /// The sender: the project, or a topic.
  public let from: String?
  /// Its data.
  public let data: [String: String]
  /// The notification's title and body, where it has them.
  public let title: String?
  /// The notification's text.
  public let body: String?

  /// The sender in the options of the app that got it.
  var senderID: String?

  /// The JSON object that the server sent.
  private let content: Data

  /// Reads a message of the server; nil where it is no object with an id.
  init?(id: String?, json: [String: Any]) {
    guard let id = id ?? json["fcmMessageId"] as? String, !id.isEmpty,
      let content = try? JSONSerialization.data(withJSONObject: json)
    else { return nil }
    messageID = id
    from = json["from"] as? String
    data = json["data"] as? [String: String] ?? [:]
    let notification = json["notification"] as? [String: Any]
    title = notification?["title"] as? String
    body = notification?["body"] as? String
    self.content = content
  }

  /// The message as Apple's clients get it: `aps`, the data's members beside it, `gcm.message_id`,
  /// `google.c.sender.id`, `google.c.a.e` of a notification, and its members beyond Apple's under
  /// `gcm.notification.…`.
  public var userInfo: [AnyHashable: Any] {
    let json = (try? JSONSerialization.jsonObject(with: content)) as? [String: Any] ?? [:]
    return UserInfo(messageID: messageID, json: json, senderID: senderID).members
  }
}
