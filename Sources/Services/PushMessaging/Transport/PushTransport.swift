/// A way to devices: hands one message to the service or the device behind an address.
///
/// One implementation for each case of `PushAddress`. Many tasks call at once, as many as the lane
/// has workers. A call returns when the other side has responded or the transport's own deadline
/// has passed. A call whose task is cancelled returns soon, with `.retry`.
package protocol PushTransport: Sendable {
  /// Hands a message over, once; the caller repeats it by what the outcome says.
  func hand(_ parcel: PushParcel) async -> PushOutcome
}

/// The outcome of handing a message over.
package enum PushOutcome: Sendable, Equatable {
  /// The other side took it; the id is the one that it gave.
  case handed(id: String?)
  /// There is nothing behind the address any more, since a time in microseconds where the other side says so.
  ///
  /// Counts only where that is later than the registration's last renewal.
  case gone(since: Int64?)
  /// The message itself is not taken; it is not tried again.
  case refused(reason: String)
  /// Not now; nil leaves the delay to the caller's backoff.
  case retry(after: Duration?, reason: String)
  /// The project's credentials are wrong or missing: the message fails, the registration stays.
  case unauthorized(reason: String)
}
