import BaseText

/// The measure by which an experiment's variants are compared.
package struct ExperimentGoal: Sendable, Equatable, Codable {
  /// The measurement of an installation, from the day on that it got its variant.
  package enum Measure: String, Sendable, CaseIterable, Codable {
    /// 1 of one that had the event, else 0: the mean is their share.
    case users
    /// The number of times that it had the event.
    case events
    /// The sum of the event's parameter `value`.
    case value
  }

  /// The name of an analytics event, such as `purchase`.
  package let event: String
  /// The quantity whose mean per installation is compared.
  package let measure: Measure

  /// A goal.
  package init(event: String, measure: Measure) {
    self.event = event
    self.measure = measure
  }
}

/// An installation that an experiment has given a variant.
package struct ExperimentMember: Sendable, Equatable {
  /// The installation's Firebase installation id.
  package let installation: String
  /// The variant's index.
  package let variant: Int
  /// When it got the variant, in microseconds; nil where that is not known.
  package let joined: Int64?
}

/// The figures of a variant's installations.
package struct GoalOutcome: Sendable, Equatable {
  /// Those of which there was any event.
  package var seen = 0
  /// Those that had the goal's event.
  package var reached = 0
  /// The sum of each installation's measurement.
  package var sum: Double = 0
  /// The sum of the squares of each installation's measurement, from which the variance follows.
  package var sumOfSquares: Double = 0

  /// Nothing.
  package init() {}
}

/// Knows what installations did; analytics does.
package protocol ConfigGoals: Sendable {
  /// Returns the outcome of the members of each of so many variants.
  ///
  /// Every member comes once, some with each call of `next`, which gives nil behind the last. Takes seconds where there
  /// are many; may read the disk.
  func outcomes(
    of goal: ExperimentGoal,
    project: Text,
    variants: Int,
    next: () throws -> [ExperimentMember]?
  ) throws -> [GoalOutcome]
}
