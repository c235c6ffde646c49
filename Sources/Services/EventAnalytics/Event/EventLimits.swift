/// The limits of events, as Firebase has them.
package enum EventLimits {
  /// Parameters of an event beside the system's own.
  package static let parameters = 25
  /// Characters of a parameter's text; `longTexts` has the exceptions.
  package static let textLength = 100
  /// Longer texts that some parameters may have.
  static let longTexts = ["page_location": 1_000, "page_referrer": 420, "page_title": 300]
  /// User properties of a batch.
  package static let properties = 25
  /// Characters of a user property's value.
  package static let propertyValueLength = 36
  /// Characters of a user id.
  package static let userIDLength = 256
  /// The longest id of an installation: Unicode scalars in a batch of the SDK, bytes of UTF-8 elsewhere.
  package static let instanceIDLength = 64
  /// Items of one parameter; further ones are dropped.
  package static let items = 200
  /// Events that a project marks.
  static let keyEvents = 30
  /// Parameters of one item.
  package static let itemParameters = 100
  /// Characters of a device's model, a version and the like.
  package static let contextLength = 100
  /// Events of an SDK's batch.
  package static let batchEvents = 500
  /// Events of a request of the Measurement Protocol.
  package static let protocolEvents = 25
  /// The greatest age of an event on arrival, in microseconds.
  package static let age: Int64 = 72 * 3_600 * 1_000_000
  /// The difference of an app's clock that is not corrected.
  static let clockTolerance: Int64 = 60 * 1_000_000
  /// By how much it is corrected at most.
  static let clockCorrection: Int64 = 86_400 * 1_000_000
  /// The furthest that an event may lie ahead of the server's clock.
  package static let future: Int64 = 60 * 1_000_000
  /// Values of a batch that were dropped and reported.
  static let reportedDrops = 1_000
}
