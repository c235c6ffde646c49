import NIOCore

/// When a run begins to measure and ends, and what it loads.
struct RunPlan: Sendable {
  let target: LoadTarget
  let measureFrom: NIODeadline
  let end: NIODeadline
}
