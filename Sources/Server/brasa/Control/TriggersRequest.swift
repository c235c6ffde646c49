/// A request of `brasa events` about a project's triggers.
enum TriggersRequest: Codable, Sendable, Equatable {
  /// Events that wait, or dead letters, of all triggers or of one.
  case list(isDead: Bool, trigger: String?, limit: Int)
  /// An event with its data.
  case show(id: String)
  /// Delivers dead letters again: all, those of a trigger or one.
  case replay(trigger: String?, id: String?)
  /// Removes dead letters for good.
  case discard(trigger: String?, id: String?)
  /// Triggers, schedules, queues and subscriptions.
  case triggers
  /// Sends events to an address; filters are `name=value`.
  case subscribe(name: String, type: String, filters: [String], options: SubscriptionOptions)
  case unsubscribe(name: String)

  /// As the log names it.
  var command: String {
    switch self {
    case .list: "list"
    case .show: "show"
    case .replay: "replay"
    case .discard: "discard"
    case .triggers: "triggers"
    case .subscribe: "subscribe"
    case .unsubscribe: "unsubscribe"
    }
  }
}

/// The options for sending a subscription's events.
struct SubscriptionOptions: Codable, Sendable, Equatable {
  var url: String
  var channel: String?
  var isProtobuf: Bool
  var retries: Bool
  var concurrency: Int
  var timeoutSeconds: Int
}
