/// The times at which a run begins to measure and ends, and its load.
struct RunPlan: Sendable {
  let target: LoadTarget
  /// On the clock of `monotonicNanoseconds`, as `end`.
  let measureFrom: Int64
  let end: Int64
}
