import BaseJSON
import Foundation

/// One message to a topic: when it is accepted, when the first device has it, when all deliveries are made.
struct TopicRun {
  /// Nanoseconds from the request on; nil for what did not happen.
  struct Outcome {
    var accepted: Int64 = 0
    var first: Int64?
    var expanded: Int64?
    /// The time at which the expected number had left for their devices.
    var handed: Int64?
    var deliveries = 0
  }

  private struct Progress {
    var isExpanded = false
    var deliveries = 0
    var handed = 0
  }

  let target: PushTarget
  let topic: String
  /// Deliveries that are waited for; 0 waits for the expansion alone.
  let expectedHanded: Int
  /// Microseconds between two looks at the report, on the tool's own thread: how finely the figures are seen.
  private static let pause: UInt32 = 5_000
  private static let longest: Int64 = 900_000_000_000

  func execute() throws -> Outcome {
    var outcome = Outcome()
    let begun = monotonicNanoseconds()
    let answer = try FileRun.call(target.message(toTopic: topic), to: target.server)
    outcome.accepted = monotonicNanoseconds() - begun
    let json = try JSONValue(parsing: String(decoding: answer.body, as: UTF8.self))
    guard answer.status == 200, let id = json["name"]?.string?.split(separator: "/").last else {
      throw LoadError.refused(answer.errorName)
    }
    while true {
      let progress = try progress(of: String(id))
      let passed = monotonicNanoseconds() - begun
      outcome.deliveries = progress.deliveries
      if progress.handed > 0 { outcome.first = outcome.first ?? passed }
      if progress.isExpanded { outcome.expanded = outcome.expanded ?? passed }
      if progress.handed >= expectedHanded { outcome.handed = outcome.handed ?? passed }
      if outcome.expanded != nil, outcome.handed != nil { return outcome }
      guard passed < Self.longest else { throw LoadError.refused("not delivered in 15 minutes") }
      usleep(Self.pause)
    }
  }

  private func progress(of id: String) throws -> Progress {
    let answer = try FileRun.call(target.report(id), to: target.server)
    let json = try JSONValue(parsing: String(decoding: answer.body, as: UTF8.self))
    var progress = Progress(isExpanded: json["stage"]?.string == "expanded")
    for way in json["deliveries"]?.members ?? [] {
      for state in way.value.members ?? [] {
        let count = Int(state.value.integer ?? 0)
        progress.deliveries += count
        if ["handed", "acknowledged", "opened"].contains(state.key) { progress.handed += count }
      }
    }
    return progress
  }
}
