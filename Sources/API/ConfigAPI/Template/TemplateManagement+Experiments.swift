import ConfigTemplates
import FirestoreModel
import ServiceModule

extension TemplateManagement {
  func experiments(_ call: TemplateCall) throws -> ServiceResponse {
    let reports = try templates.experiments(of: call.id)
    return .json(.object([.init("experiments", .array(reports.map(\.json)))]))
  }
}

extension ExperimentReport {
  fileprivate var json: JSONText {
    .members([
      ("experimentId", .string(id)),
      ("exposurePercent", .number("\(Double(exposure) / 1_000_000)")),
      ("sticky", .boolean(isSticky)),
      ("parameterKeys", .array(keys.map(JSONText.string))),
      ("variants", .array(variants.map(\.json))),
      ("chiSquared", ratio.map { .number("\($0.chiSquared)") }),
      ("probability", ratio.map { .number("\($0.probability)") }),
      ("sampleRatioMismatch", .boolean(ratio?.isMismatch == true)),
    ])
  }
}

extension ExperimentReport.Variant {
  fileprivate var json: JSONText {
    .object([
      .init("variantId", .string(id)), .init("weight", .integer(weight)),
      .init("assigned", .integer(assigned)),
    ])
  }
}
