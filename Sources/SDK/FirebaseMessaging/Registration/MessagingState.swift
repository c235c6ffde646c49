import Foundation

/// The state that is kept of an app's registration.
struct MessagingState: Codable, Sendable, Equatable {
  /// A change of a topic that the server does not know of.
  struct TopicChange: Codable, Sendable, Equatable {
    var number: Int
    var topic: String
    var isSubscription: Bool
  }

  /// A device's address at Apple.
  struct AppleAddress: Codable, Sendable, Equatable {
    var token: String
    var environment: String?
  }

  var token: String?
  /// The installation that the token is of.
  var installationID: String?
  /// The address that the server knows; nil off Apple's systems.
  var registeredAddress: AppleAddress?
  /// The user whose registration it is; nil is nobody's.
  var registeredUserID: String?
  /// The time at which the server last received the address.
  var renewed: Date?
  /// The highest sequence of the stream that was handed over.
  var acknowledged: Int64 = 0
  /// The ids of the messages that were handed over last, oldest first.
  var seen: [String] = []
  var topicChanges: [TopicChange] = []
  var nextChange = 1
  var isAutoInitEnabled: Bool?

  /// More than the server keeps for a device, so that every repeated message is known.
  private static let seenLimit = 500

  /// Reads bytes; a fresh state where they are damaged.
  init(decoding data: Data?) {
    let known = data.flatMap { try? JSONDecoder().decode(MessagingState.self, from: $0) }
    self = known ?? MessagingState()
  }

  init() {}

  func encoded() throws -> Data { try JSONEncoder().encode(self) }

  /// Notes a message; false where it was handed over before.
  mutating func note(_ id: String) -> Bool {
    guard !seen.contains(id) else { return false }
    seen.append(id)
    if seen.count > Self.seenLimit { seen.removeFirst(seen.count - Self.seenLimit) }
    return true
  }

  /// The server knows the registration no more.
  mutating func forgetRegistration() {
    (token, installationID, registeredAddress, acknowledged) = (nil, nil, nil, 0)
    (registeredUserID, renewed) = (nil, nil)
  }
}
