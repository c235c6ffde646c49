import BaseStatus
import KeyValueStore

/// The outcome of an experiment's variants by a goal.
package struct ExperimentResult: Sendable, Equatable {
  /// A variant; the first is the baseline of the others.
  package struct Variant: Sendable, Equatable {
    /// The variant's id, unique in its experiment.
    package let id: String
    /// The variant's share, relative to the sum of all weights.
    package let weight: Int
    /// Installations that have it, and what they did.
    package let assigned: Int
    /// The counts and sums of the goal among the assigned installations.
    package let outcome: GoalOutcome
    /// The mean measurement of all assigned ones; nil if there are none.
    package let mean: Double?
    /// From the baseline; nil for that itself, where there are too few, and where the sample ratio does not fit.
    package let difference: MeanDifference?
  }

  /// The experiment's id in the newest template.
  package let id: String
  /// The goal that was asked for, or else the experiment's own.
  package let goal: ExperimentGoal
  /// The variants in the template's order, the baseline first.
  package let variants: [Variant]
  /// Nil before anybody is assigned.
  package let ratio: SampleRatio?
}

extension ConfigTemplates {
  /// Assignments that are read at once.
  private static let membersAtOnce = 4_096

  /// Returns the result of an experiment of the newest template; throws NOT_FOUND where there is
  /// none of the id, INVALID_ARGUMENT where no goal is given and the experiment has none of its
  /// own.
  ///
  /// All that have a variant by the weights of today count, whether or not they had an event. Blocks, for seconds
  /// where there are many.
  package func result(
    of experiment: String,
    in id: TemplateID,
    by wanted: ExperimentGoal?
  ) throws -> ExperimentResult {
    let split = try load(id)?.compiled.splits.first { $0.id == experiment && $0.isExperiment }
    guard let split, case .experiment(_, let variants, _, let own) = split.kind else {
      throw ServiceError(.notFound, "There is no experiment \"\(experiment.prefix(100))\".")
    }
    guard let goal = wanted ?? own else {
      throw ServiceError.invalidArgument(
        "The experiment has no goal. Name the event that compares its variants."
      )
    }
    guard let goals else {
      throw ServiceError(.failedPrecondition, "There are no events that compare the variants.")
    }
    var assigned = variants.map { _ in 0 }
    var range: KeyRange? = KeyRange(prefix: TemplateKey.prefix(.assignment, id))
    let outcomes = try goals.outcomes(of: goal, project: id.project, variants: variants.count) {
      guard let part = range else { return nil }
      let (members, last) = try reading { try Self.members(of: split, part, $0) }
      for member in members { assigned[member.variant] += 1 }
      range = last.map { KeyRange(lower: $0 + [0], upper: part.upper) }
      return members
    }
    return ExperimentResult(experiment, goal, variants, assigned, outcomes)
  }

  /// Some of the installations that have a variant by the split's weights, and the key behind which others may be; nil
  /// behind the last.
  private static func members(
    of split: CompiledTemplate.Split,
    _ range: KeyRange,
    _ reader: any KeyValueReader
  ) throws -> (members: [ExperimentMember], last: [UInt8]?) {
    let cursor = try reader.cursor(over: range, reversed: false)
    var members: [ExperimentMember] = []
    var left = membersAtOnce
    while try cursor.next() {
      let assignment = try ConfigAssignment(decoding: cursor.value)
      if let choice = assignment.variants[split.id], choice.shape == split.shape,
        let part = split.part(ofVariant: choice.variant)
      {
        members.append(
          ExperimentMember(
            installation: try TemplateKey.installation(cursor.key),
            variant: Int(part) - 1,
            joined: assignment.joined[split.id]
          )
        )
      }
      left -= 1
      if left == 0 { return (members, Array(cursor.key)) }
    }
    return (members, nil)
  }
}

extension ExperimentResult {
  fileprivate init(
    _ id: String,
    _ goal: ExperimentGoal,
    _ variants: [ParameterValue.Experiment.Variant],
    _ assigned: [Int],
    _ outcomes: [GoalOutcome]
  ) {
    let ratio = SampleRatio(counts: assigned.map(Int64.init), weights: variants.map(\.weight))
    let samples = zip(assigned, outcomes).map { count, outcome in
      MeanSample(count: count, sum: outcome.sum, sumOfSquares: outcome.sumOfSquares)
    }
    let isComparable = ratio?.isMismatch == false
    self.init(
      id: id,
      goal: goal,
      variants: variants.indices.map { index in
        Variant(
          id: variants[index].id,
          weight: variants[index].weight,
          assigned: assigned[index],
          outcome: outcomes[index],
          mean: assigned[index] > 0 ? samples[index].mean : nil,
          difference: index > 0 && isComparable
            ? MeanDifference(samples[index], above: samples[0], comparisons: variants.count - 1)
            : nil
        )
      },
      ratio: ratio
    )
  }
}
