import FirebaseCore
import Foundation

#if canImport(UserNotifications)
import UserNotifications
#endif

/// The work of a notification service extension.
public final class MessagingExtensionHelper: NSObject, Sendable {
  /// Notes that a message arrived, so that its sender sees it; Brasa counts that itself and has no BigQuery.
  ///
  /// Without a configured app nothing is noted.
  public func exportDeliveryMetricsToBigQuery(withMessageInfo info: [AnyHashable: Any]) {
    guard FirebaseApp.app() != nil else {
      return FirebaseLog.write(
        .warning,
        "FirebaseMessaging",
        "I-FCM000002",
        "The delivery of a message is not recorded. Call FirebaseApp.configure() in the extension."
      )
    }
    Messaging.messaging().appDidReceiveMessage(info)
  }

  #if canImport(UserNotifications) && !os(tvOS)
  /// Adds the image that the message names, if it can be loaded, and calls the handler.
  public func populateNotificationContent(
    _ content: UNMutableNotificationContent,
    withContentHandler contentHandler: @escaping (UNNotificationContent) -> Void
  ) {
    let options = content.userInfo["fcm_options"] as? [AnyHashable: Any]
    guard let text = options?["image"] as? String, let url = URL(string: text) else {
      return contentHandler(content)
    }
    let callback = AppCallback<URL?> { file in
      let attachment = file.flatMap {
        try? UNNotificationAttachment(identifier: "image", url: $0, options: nil)
      }
      if let attachment { content.attachments = [attachment] }
      contentHandler(content)
    }
    URLSession.shared.downloadTask(with: url) { file, response, _ in
      callback.call(file.flatMap { Self.named($0, as: response?.suggestedFilename) })
    }.resume()
  }

  /// Moves a file to a name that shows the system its type.
  private static func named(_ file: URL, as name: String?) -> URL? {
    let target = FileManager.default.temporaryDirectory
      .appendingPathComponent(UUID().uuidString)
      .appendingPathExtension((name as NSString?)?.pathExtension ?? "")
    return (try? FileManager.default.moveItem(at: file, to: target)).map { target }
  }
  #endif
}

extension Messaging {
  /// The work of a notification service extension.
  public static func serviceExtension() -> MessagingExtensionHelper { MessagingExtensionHelper() }
}
