/// The limits on everything that clients make.
package struct MessagingLimits: Sendable {
  /// Clients that are connected at the same time.
  package var streams = 100_000
  /// Registrations of one project.
  package var registrations = 10_000_000
  /// Registrations of all projects, with those that ended and are still kept.
  package var registrationsInAll: Int64 = 50_000_000
  /// Days for which a message and its results are kept.
  package var messageDays: Int64 = 30
  /// Days for which the counts of a message to many are kept, at least as long as the message.
  package var countDays: Int64 = 400
  /// Days without a word after which a registration ends.
  package var staleDays: Int64 = 270
  /// Days for which a registration that ended is kept.
  package var goneDays: Int64 = 30
  /// New registrations that one network makes in an hour.
  package var registrationsPerNetwork = 20_000
  /// Subscriptions to topics that clients of one network make in an hour.
  package var subscriptionsPerNetwork = 200_000
  /// The bytes of the disk to keep for others when clients make registrations and subscriptions.
  package var reserveBytes = 1 << 30
  /// Topics of one registration.
  package var topics = 2_000
  /// Push resources of one registration.
  package var pushResources = 100
  /// Messages that one network sends to push resources in an hour.
  package var pushesPerNetwork = 100_000
  /// Registrations that a message to a user goes to.
  package var registrationsPerUser = 500
  /// Deliveries in flight at once to Apple, which responds after some fifty milliseconds, and to
  /// all other push services.
  package var underWay = (apns: 1_000, webPush: 256)

  /// Deliveries in flight at once for a transport.
  func underWay(_ channel: PushChannel) -> Int {
    channel == .apns ? underWay.apns : underWay.webPush
  }

  /// A server's bounds.
  package init() {}
}
