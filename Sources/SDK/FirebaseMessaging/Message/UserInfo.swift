import Foundation

/// Makes of the server's form of a message the one that Apple's clients get.
struct UserInfo {
  private(set) var members: [AnyHashable: Any] = [:]
  private var aps: [String: Any] = [:]
  private var alert: [String: Any] = [:]

  /// Members of a notification that are members of Apple's alert, with their names there.
  private static let alertMembers = [
    "title": "title", "body": "body", "subtitle": "subtitle", "title_loc_key": "title-loc-key",
    "title_loc_args": "title-loc-args", "body_loc_key": "loc-key", "body_loc_args": "loc-args",
  ]
  private static let apsMembers = ["sound": "sound", "click_action": "category"]

  /// - Parameter senderID: The sender of the app's options; nil or empty where they have none.
  init(messageID: String, json: [String: Any], senderID: String?) {
    for (name, value) in json["data"] as? [String: Any] ?? [:] { members[name] = value }
    for (name, value) in json["notification"] as? [String: Any] ?? [:] { add(name, value) }
    members["gcm.message_id"] = messageID
    members["google.c.sender.id"] = senderID.flatMap { $0.isEmpty ? nil : $0 }
    // The message counts for Analytics, as every notification does.
    members["google.c.a.e"] = json["notification"] == nil ? nil : "1"
    if let from = json["from"] { members["from"] = from }
    if let key = json["collapse_key"] { members["collapse_key"] = key }
    for (name, appleName) in [
      ("content_available", "content-available"), ("mutable_content", "mutable-content"),
    ] where Self.isTrue(json[name]) {
      aps[appleName] = 1
    }
    if !alert.isEmpty { aps["alert"] = alert }
    members["aps"] = aps
  }

  private mutating func add(_ name: String, _ value: Any) {
    if let alertName = Self.alertMembers[name] {
      alert[alertName] = name.hasSuffix("_args") ? Self.list(value) : value
    } else if let apsName = Self.apsMembers[name] {
      aps[apsName] = value
    } else if name == "badge" {
      aps["badge"] = (value as? String).flatMap { Int($0) } ?? value
    } else if name == "image" {
      members["fcm_options"] = ["image": value]
    } else {
      members["gcm.notification.\(name)"] = Self.text(value)
    }
  }

  /// Texts as they are, everything else as JSON.
  private static func text(_ value: Any) -> Any {
    if let text = value as? String { return text }
    let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys]
    guard let data = try? JSONSerialization.data(withJSONObject: value, options: options) else {
      return value
    }
    return String(decoding: data, as: UTF8.self)
  }

  /// A list that may have come as JSON text.
  private static func list(_ value: Any) -> Any {
    guard let text = value as? String else { return value }
    return (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [Any] ?? value
  }

  private static func isTrue(_ value: Any?) -> Bool {
    value as? Bool ?? (value as? String == "true" || value as? String == "1")
  }
}
