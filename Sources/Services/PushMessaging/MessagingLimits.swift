/// How much there may be of everything that clients make.
package struct MessagingLimits: Sendable {
  /// Clients that are connected at the same time.
  package var streams = 100_000
  /// Registrations of one project.
  package var registrations = 10_000_000
  /// Days for which a message and what became of it are kept.
  package var messageDays: Int64 = 30
  /// Days without a word after which a registration ends.
  package var staleDays: Int64 = 270
  /// Days for which a registration that ended is kept.
  package var goneDays: Int64 = 30
  /// New registrations that one network makes in an hour.
  package var registrationsPerNetwork = 20_000
  /// Topics of one registration.
  package var topics = 2_000
  /// Registrations that a message to a user goes to.
  package var registrationsPerUser = 500
  /// Deliveries that are under way to push services at once, by each way.
  package var underWay = 256

  /// A server's bounds.
  package init() {}
}
