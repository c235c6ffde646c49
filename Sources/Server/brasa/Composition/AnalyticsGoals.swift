import BaseText
import ConfigTemplates
import EventAnalytics

/// Provides Remote Config with the events of an experiment's installations in analytics.
struct AnalyticsGoals: ConfigGoals {
  let analytics: EventAnalytics

  func outcomes(
    of goal: ExperimentGoal,
    project: Text,
    variants: Int,
    next: () throws -> [ExperimentMember]?
  ) throws -> [GoalOutcome] {
    let measure: GoalMeasure =
      switch goal.measure {
      case .users: .users
      case .events: .events
      case .value: .value
      }
    let tallies = try analytics.goals(
      of: project,
      event: goal.event,
      measure,
      groups: variants
    ) {
      try next()?.map { member in
        GoalMember(instanceID: member.installation, group: member.variant, since: member.joined)
      }
    }
    return tallies.map { tally in
      var outcome = GoalOutcome()
      outcome.seen = tally.seen
      outcome.reached = tally.reached
      outcome.sum = tally.sum
      outcome.sumOfSquares = tally.sumOfSquares
      return outcome
    }
  }
}
