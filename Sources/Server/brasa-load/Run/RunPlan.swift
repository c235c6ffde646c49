/// When a run begins to measure and ends, and what it loads.
struct RunPlan: Sendable {
  let target: LoadTarget
  /// On the clock of `monotonicNanoseconds`, as `end`.
  let measureFrom: Int64
  let end: Int64
  /// Nanoseconds from one call of a slot to its next; 0 begins the next with the answer.
  var interval: Int64 = 0
}
