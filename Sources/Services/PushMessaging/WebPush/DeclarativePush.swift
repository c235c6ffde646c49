import BaseJSON

/// The form of a push message that Safari shows without a service worker (Declarative Web Push).
///
/// Its members stand beside those of FCM's web payload, so one payload serves both: a browser that does not know the
/// form hands it to the service worker as it is.
package enum DeclarativePush {
  /// The payload with the declarative members.
  ///
  /// It stays as it is without a notification with a title, or without a link, which the format
  /// requires, or if it would be too large with them.
  package static func adding(to payload: JSONValue) -> JSONValue {
    guard case .object(var members) = payload,
      let index = members.firstIndex(where: { $0.key == "notification" }),
      case .object(let notification) = members[index].value,
      payload["notification"]?["title"]?.string != nil,
      let link = link(payload)
    else { return payload }
    let own = notification.filter { $0.key != "navigate" }
    members[index] = .init("notification", .object(own + [.init("navigate", .string(link))]))
    members.removeAll { ["web_push", "mutable"].contains($0.key) }
    let form = JSONValue.object(
      [.init("web_push", .integer(8_030))] + members + [.init("mutable", .boolean(true))]
    )
    return form.compactBytes.count <= WebPushEncryption.maximumContent ? form : payload
  }

  private static func link(_ payload: JSONValue) -> String? {
    let link =
      payload["fcmOptions"]?["link"]?.string ?? payload["notification"]?["click_action"]?.string
    guard let link, link.hasPrefix("https://") || link.hasPrefix("http://") else { return nil }
    return link
  }
}
