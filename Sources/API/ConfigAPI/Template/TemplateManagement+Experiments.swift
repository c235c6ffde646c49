import BaseJSON
import BaseStatus
import ConfigTemplates
import ServiceModule

extension TemplateManagement {
  func experiments(_ call: TemplateCall) throws -> ServiceResponse {
    let reports = try templates.experiments(of: call.id)
    return .json(.object([.init("experiments", .array(reports.map(\.json)))]))
  }

  func experimentResult(_ call: TemplateCall) throws -> ServiceResponse {
    let result = try templates.result(
      of: call.request.parameters["name"] ?? "",
      in: call.id,
      by: try Self.goal(of: call)
    )
    return .json(result.json)
  }

  /// The goal that a call names; nil is the experiment's own.
  private static func goal(of call: TemplateCall) throws(ServiceError) -> ExperimentGoal? {
    guard let event = call.parameter("event", "event"), !event.isEmpty else { return nil }
    let name = call.parameter("measure", "measure") ?? ExperimentGoal.Measure.users.rawValue
    guard let measure = ExperimentGoal.Measure(rawValue: name) else {
      throw .invalidArgument("measure must be users, events or value.")
    }
    return ExperimentGoal(event: event, measure: measure)
  }
}

extension ExperimentReport {
  fileprivate var json: JSONValue {
    .members([
      ("experimentId", .string(id)),
      ("exposurePercent", .number("\(Double(exposure) / 1_000_000)")),
      ("sticky", .boolean(isSticky)),
      ("goal", goal?.json),
      ("parameterKeys", .array(keys.map(JSONValue.string))),
      ("variants", .array(variants.map(\.json))),
      ("chiSquared", ratio.map { .number("\($0.chiSquared)") }),
      ("probability", ratio.map { .number("\($0.probability)") }),
      ("sampleRatioMismatch", .boolean(ratio?.isMismatch == true)),
    ])
  }
}

extension ExperimentReport.Variant {
  fileprivate var json: JSONValue {
    .object([
      .init("variantId", .string(id)), .init("weight", .integer(weight)),
      .init("assigned", .integer(assigned)),
    ])
  }
}

extension ExperimentResult {
  fileprivate var json: JSONValue {
    .members([
      ("experimentId", .string(id)),
      ("event", .string(goal.event)),
      ("measure", .string(goal.measure.rawValue)),
      ("variants", .array(variants.map(\.json))),
      ("sampleRatioProbability", ratio.map { .number("\($0.probability)") }),
      ("sampleRatioMismatch", .boolean(ratio?.isMismatch == true)),
    ])
  }
}

extension ExperimentResult.Variant {
  fileprivate var json: JSONValue {
    .members([
      ("variantId", .string(id)), ("weight", .integer(weight)), ("assigned", .integer(assigned)),
      ("seen", .integer(outcome.seen)), ("reached", .integer(outcome.reached)),
      ("sum", .number("\(outcome.sum)")),
      ("mean", mean.map { .number("\($0)") }),
      ("difference", difference?.json),
    ])
  }
}

extension MeanDifference {
  fileprivate var json: JSONValue {
    .members([
      ("value", .number("\(value)")), ("low", .number("\(low)")), ("high", .number("\(high)")),
      ("probability", .number("\(probability)")), ("significant", .boolean(isSignificant)),
    ])
  }
}
