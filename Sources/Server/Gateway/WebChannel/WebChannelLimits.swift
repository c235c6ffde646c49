import BaseStatus

/// The limits on the size of a WebChannel session and on its waits.
package struct WebChannelLimits: Sendable, Equatable {
  /// Open sessions of all clients; more are refused, as are those beyond a client's share.
  package var sessions = 10_000
  /// The number of bytes that a session has in flight to its client before the service is asked to
  /// wait.
  var windowBytes = 1 << 20
  /// The same for a caller without credentials.
  var anonymousWindowBytes = 256 << 10
  /// The largest number of bytes that a session holds for its client; more ends it.
  package var sessionBytes = 64 << 20
  /// Messages that wait for the service before a request's response is held back, and their bytes.
  var requests = 1_000
  var requestBytes = 16 << 20
  /// Messages, their bytes, and requests held back, of a client that continues anyway; more ends
  /// its session.
  var floodRequests = 20_000
  var floodRequestBytes = 64 << 20
  var floodPosts = 100
  /// About how many bytes are written at once.
  var writeBytes = 64 << 10
  /// The longest time without anything sent; clients give up after one and a half times this.
  package var keepAlive = Duration.seconds(30)
  /// The time that a streaming back channel is kept.
  package var streaming = Duration.seconds(240)
  /// The time that a long poll is kept.
  var longPoll = Duration.seconds(25)
  /// The time that a session without a back channel waits for the next.
  var idleTimeout = Duration.seconds(90)
  /// The same for a caller without credentials, and for every caller's first back channel.
  var anonymousIdleTimeout = Duration.seconds(45)
  /// The time that the last array of a session waits to be fetched.
  var afterlife = Duration.seconds(60)

  /// The product's limits.
  package init() {}
}

/// Receives the sessions' events, for metrics.
protocol WebChannelObserver: Sendable {
  func received()
  func sent(_ messages: Int)
  func ended(_ method: ServedMethod, _ code: StatusCode)
}
