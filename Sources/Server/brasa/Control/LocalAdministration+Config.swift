import BaseJSON
import BaseStatus
import ConfigAPI
import ConfigTemplates
import FirestoreModel
import FirestoreWire
import Foundation

extension LocalAdministration {
  /// Does what `brasa config` asks.
  func config(
    _ request: ConfigRequest,
    _ id: TemplateID,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    switch request {
    case .get(let version): try showTemplate(id, version, output)
    case .publish(let text, let etag, let validatesOnly, let description):
      var template = try ConfigTemplate(json: try JSONValue(parsing: text))
      if let description { template.versionDescription = description }
      let precondition = etag.map(TemplatePrecondition.etag) ?? .none
      if validatesOnly {
        try templates.validate(template, of: id, precondition)
        try output(.finished(summary: "the template is valid"))
      } else {
        let publisher = Publisher(origin: "REST_API")
        let served = try templates.publish(template, of: id, precondition, by: publisher)
        try output(.finished(summary: "published version \(served.version.number)"))
      }
    case .versions(let limit): try listVersions(of: id, limit, output)
    case .rollBack(let version):
      let served = try templates.rollBack(id, to: version, by: Publisher(origin: "REST_API"))
      try output(
        .finished(summary: "published version \(served.version.number), a copy of \(version)")
      )
    case .evaluate(let subject, let time): try evaluate(subject, at: time, by: id, output)
    case .experiments: try listExperiments(of: id, output)
    case .results(let experiment, let goal): try showResult(of: experiment, goal, id, output)
    }
  }

  private func showTemplate(
    _ id: TemplateID,
    _ number: Int64?,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let newest = try templates.versions(of: id, count: 1).first?.number
    guard let number = number ?? newest else {
      throw ServiceError(.notFound, "The project \(id.project.string) has no template.")
    }
    let (template, version) = try templates.version(number, of: id)
    let json = JSONValue.object((template.json.members ?? []) + [.init("version", version.json)])
    for line in json.printed().split(separator: "\n", omittingEmptySubsequences: false) {
      try output(.line(String(line)))
    }
    try output(.finished(summary: id.etag(number)))
  }

  private func listVersions(
    of id: TemplateID,
    _ limit: Int,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let versions = try templates.versions(of: id, count: limit)
    for version in versions {
      let instant = Timestamp(microseconds: version.updateTime)
      let time = TimestampText.format(seconds: instant.seconds, nanos: instant.nanos)
      let author = version.author.email ?? version.origin
      let note = version.description.map { "  \($0)" } ?? ""
      try output(.line("\(version.number)  \(time)  \(version.type.rawValue)  \(author)\(note)"))
    }
    try output(.finished(summary: versions.count.counting("version")))
  }

  private func listExperiments(
    of id: TemplateID,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let experiments = try templates.experiments(of: id)
    for experiment in experiments {
      let variants = experiment.variants.map { "\($0.id) \($0.assigned) (weight \($0.weight))" }
      try output(.line("\(experiment.id)  \(variants.joined(separator: ", "))"))
      guard let ratio = experiment.ratio, ratio.isMismatch else { continue }
      try output(
        .line(
          "  sample ratio mismatch: chi-squared \(ratio.chiSquared), p = \(ratio.probability); "
            + "its results are not valid"
        )
      )
    }
    try output(.finished(summary: experiments.count.counting("experiment")))
  }

  private func showResult(
    of experiment: String,
    _ goal: ExperimentGoal?,
    _ id: TemplateID,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let result = try templates.result(of: experiment, in: id, by: goal)
    for variant in result.variants {
      let figures = "\(variant.outcome.reached) of \(variant.assigned) installations"
      let mean = variant.mean.map { String(format: ", mean %.6g", $0) } ?? ""
      let difference = variant.difference.map {
        String(
          format: ", difference %+.6g (%+.6g to %+.6g), p = %.3g",
          $0.value,
          $0.low,
          $0.high,
          $0.probability
        )
      }
      try output(.line("\(variant.id)  \(figures)\(mean)\(difference ?? "")"))
    }
    if result.ratio?.isMismatch == true {
      try output(.line("sample ratio mismatch: variants are not compared"))
    }
    try output(.finished(summary: result.variants.count.counting("variant")))
  }

  private func evaluate(
    _ subject: ConfigSubject,
    at time: String?,
    by id: TemplateID,
    _ output: (AdministrationReply) throws -> Void
  ) throws {
    let instant = try time.map { text in
      guard let instant = TimestampText.parse(text) else {
        throw ServiceError.invalidArgument("\(text) is not a time such as 2027-01-15T08:00:00Z.")
      }
      return instant.microseconds
    }
    if try templates.asksForAudiences(id) { try checkHome() }
    guard let evaluation = try templates.evaluate(subject.client, by: id, at: instant) else {
      throw ServiceError(.notFound, "The project \(id.project.string) has no template.")
    }
    for outcome in evaluation.outcomes {
      let value = outcome.value.map { JSONValue.string($0).compact } ?? "(the app's own default)"
      let reason = outcome.condition.map { "condition \"\($0)\"" } ?? "default"
      let split = outcome.split.map { ", \($0)" } ?? ""
      try output(.line("\(outcome.key) = \(value)  \(reason)\(split)"))
    }
    let names = evaluation.conditions.map { "\"\($0)\"" }.joined(separator: ", ")
    try output(
      .finished(summary: names.isEmpty ? "no condition is true" : "true conditions: \(names)")
    )
  }
}
