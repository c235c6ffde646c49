/// An experiment of the newest template, with how many installations it has assigned.
package struct ExperimentReport: Sendable, Equatable {
  /// A variant and its installations.
  package struct Variant: Sendable, Equatable {
    /// The variant's id, unique in its experiment.
    package let id: String
    /// The variant's share, relative to the sum of all weights.
    package let weight: Int
    /// Installations that were given the variant by the weights of the newest template.
    package let assigned: Int64
  }

  /// The experiment's id, which several parameters may share.
  package let id: String
  /// Parameters that have a value by it.
  package let keys: [String]
  /// The share of installations that take part, in units of `PercentRange.whole`.
  package let exposure: Int
  /// True where an installation keeps its variant when weights change.
  package let isSticky: Bool
  /// The measure by which its results compare the variants where nothing else is asked.
  package let goal: ExperimentGoal?
  /// The variants in the template's order.
  package let variants: [Variant]
  /// Nil before anybody is assigned.
  package let ratio: SampleRatio?
}

extension ConfigTemplates {
  /// The experiments of the newest template; what was assigned by other weights does not count.
  ///
  /// Blocks.
  package func experiments(of id: TemplateID) throws -> [ExperimentReport] {
    guard let served = try load(id) else { return [] }
    let counts = try reading { try Self.counts(id, $0) }
    return served.compiled.splits.compactMap { split in
      guard case .experiment(let exposure, let variants, let isSticky, let goal) = split.kind else {
        return nil
      }
      let known = counts.experiments[split.id]
      let found = known?.shape == split.shape ? known?.variants ?? [:] : [:]
      let reports = variants.map {
        ExperimentReport.Variant(id: $0.id, weight: $0.weight, assigned: found[$0.id] ?? 0)
      }
      return ExperimentReport(
        id: split.id,
        keys: split.keys,
        exposure: exposure,
        isSticky: isSticky,
        goal: goal,
        variants: reports,
        ratio: SampleRatio(counts: reports.map(\.assigned), weights: reports.map(\.weight))
      )
    }
  }
}
