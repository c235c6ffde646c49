/// The number of requests that one host may have in flight.
///
/// A slow host keeps its slots from others; a quick one gives them back at once, however many it
/// has.
struct PushHostBounds: Sendable {
  /// While its responses take less than `quickAnswer`.
  let quick: Int
  /// While they take longer, or none came yet.
  let slow: Int
  var quickAnswer = Duration.seconds(1)

  /// The same for a host that is quick and one that is slow.
  init(_ bound: Int) { (quick, slow) = (bound, bound) }

  /// A bound for each.
  init(quick: Int, slow: Int) { (self.quick, self.slow) = (quick, slow) }
}
