extension CompiledTemplate {
  /// True if decisions are stored for installations that the template is evaluated for.
  package var keepsAssignments: Bool {
    conditions.contains(where: \.isSticky) || splits.contains(where: \.isExperiment)
  }

  /// The names of the sticky conditions.
  var stickyNames: Set<String> {
    Set(zip(conditionNames, conditions).filter { $0.1.isSticky }.map(\.0))
  }

  /// The experiments whose installations keep their variant.
  var stickyExperiments: Set<String> {
    Set(
      splits.filter { if case .experiment(_, _, true, _) = $0.kind { true } else { false } }.map(
        \.id
      )
    )
  }

  /// The experiments' shapes by their ids.
  var experimentShapes: [String: String] {
    Dictionary(
      splits.filter(\.isExperiment).map { ($0.id, $0.shape) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Returns the part of a decision that is stored.
  func assignment(of decision: Decision) -> ConfigAssignment {
    var assignment = ConfigAssignment()
    for (index, condition) in conditions.enumerated()
    where condition.isSticky && decision.bytes[index] == 1 {
      assignment.conditions.insert(conditionNames[index])
    }
    let reached = reachedSplits(decision)
    for (split, part) in zip(splits, decision.bytes.suffix(splits.count)) {
      guard case .experiment(_, let variants, _, _) = split.kind, part > 0,
        reached.contains(split.id)
      else { continue }
      assignment.variants[split.id] = ConfigAssignment.Choice(
        variant: variants[Int(part) - 1].id,
        shape: split.shape
      )
    }
    return assignment
  }
}

extension CompiledTemplate.Split {
  var isExperiment: Bool { if case .experiment = kind { true } else { false } }
}
