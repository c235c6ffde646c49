/// An experiment or a rollout of a template, as lists show it.
package struct TemplateSplit: Sendable, Equatable {
  /// The split's id, unique in its template.
  package let id: String
  /// False for a rollout.
  package let isExperiment: Bool
  /// When the template's version was published, in microseconds since 1970.
  package let published: Int64
}

extension ConfigTemplates {
  /// The experiments and rollouts of the newest template, each once; blocks.
  package func splits(of id: TemplateID) throws -> [TemplateSplit] {
    guard let served = try load(id) else { return [] }
    return served.compiled.splits.map { split in
      var isExperiment = false
      if case .experiment = split.kind { isExperiment = true }
      return TemplateSplit(
        id: split.id,
        isExperiment: isExperiment,
        published: served.version.updateTime
      )
    }
  }
}
