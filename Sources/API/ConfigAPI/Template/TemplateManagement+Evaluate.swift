import BaseJSON
import ConfigTemplates
import ServiceModule

// The values that a client would get, and the reasons, for people.

extension TemplateManagement {
  /// Evaluates the newest version for the client that a body like that of a fetch describes; `userAgent` in
  /// it is taken for the header.
  func evaluate(_ call: TemplateCall) throws -> ServiceResponse {
    let body = try call.body()
    let client = try ConfigClient(fetch: body, userAgent: body["userAgent"]?.string)
    return .json(try evaluation(of: client, by: call.id))
  }

  /// An evaluation as JSON.
  ///
  ///     {"parameters": {KEY: {"value", "condition", "split"}}, "conditions": […], "templateVersion"}
  func evaluation(of client: ConfigClient, by id: TemplateID) throws -> JSONValue {
    guard let evaluation = try templates.evaluate(client, by: id) else {
      return .object([.init("parameters", .object([])), .init("conditions", .array([]))])
    }
    let parameters = evaluation.outcomes.map { outcome in
      JSONValue.Member(
        outcome.key,
        .members([
          ("value", outcome.value.map(JSONValue.string)),
          ("useInAppDefault", outcome.value == nil ? .boolean(true) : nil),
          ("condition", outcome.condition.map(JSONValue.string)),
          ("split", outcome.split.map(JSONValue.string)),
        ])
      )
    }
    return .object([
      .init("parameters", .object(parameters)),
      .init("conditions", .array(evaluation.conditions.map(JSONValue.string))),
      .init("templateVersion", .string("\(evaluation.served)")),
    ])
  }
}
